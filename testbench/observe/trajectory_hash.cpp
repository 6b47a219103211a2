#include "testbench/observe/trajectory_hash.h"

#include "modules/base/random.h"

namespace tributary {
namespace {

/// Encodes multiples of 16 B in the lowest bits, and the other bits of the size in separate bits above those of the
/// link.
std::uint64_t size_word(std::uint64_t bytes) { return (bytes >> 4 & 0xFF) | (bytes >> 12) << 48 | (bytes & 15) << 52; }

}  // namespace

void TrajectoryHash::add(PacketProbe& sent) {
  links_.push_back({this, static_cast<std::uint32_t>(links_.size()), 0, 0});
  sent.attach(&links_.back(), [](void* observer, Tick time, const PacketView& p) {
    const Link& link = *static_cast<Link*>(observer);
    link.hash->record({time, link.index, p.opcode, p.bytes, p.source, p.count, p.address});
  });
}

void TrajectoryHash::record(const Event& e) {
  while (links_.size() <= e.link) links_.push_back({this, static_cast<std::uint32_t>(links_.size()), 0, 0});
  links_[e.link].bytes += e.bytes;
  const std::uint64_t where = (std::uint64_t{e.link} << 16) | (std::uint64_t{e.opcode} << 8) | size_word(e.bytes);
  const std::uint64_t what = (std::uint64_t{e.source} << 16) | e.count;
  links_[e.link].trajectory += mix64(mix64(mix64(mix64(e.time - epoch_) ^ where) ^ what) ^ e.address);
}

std::uint64_t TrajectoryHash::trajectory() const {
  std::uint64_t sum = 0;
  for (const Link& l : links_) sum += l.trajectory;
  return sum;
}

std::uint64_t TrajectoryHash::traffic() const {
  std::uint64_t sum = 0;
  for (const Link& l : links_) sum += mix64(mix64(l.index) ^ l.bytes);
  return sum;
}

void TrajectoryHash::reset(Tick epoch) {
  for (Link& l : links_) l.bytes = l.trajectory = 0;
  epoch_ = epoch;
}

}  // namespace tributary
