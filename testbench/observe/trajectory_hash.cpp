#include "testbench/observe/trajectory_hash.h"

#include "modules/base/random.h"

namespace tributary {

void TrajectoryHash::add(PacketProbe& sent) {
  links_.push_back({this, static_cast<std::uint32_t>(links_.size()), 0});
  sent.attach(&links_.back(), [](void* observer, Tick time, const Packet& packet) {
    const Link& link = *static_cast<Link*>(observer);
    const CommonHeader h = packet.common();
    link.hash->record({time, link.index, h.opcode, packet.flits, h.source, h.count, h.address});
  });
}

void TrajectoryHash::record(const Event& e) {
  while (links_.size() <= e.link) links_.push_back({this, static_cast<std::uint32_t>(links_.size()), 0});
  links_[e.link].flits += e.flits;
  const std::uint64_t where = (std::uint64_t{e.link} << 16) | (std::uint64_t{e.opcode} << 8) | e.flits;
  const std::uint64_t what = (std::uint64_t{e.source} << 16) | e.count;
  trajectory_ += mix64(mix64(mix64(mix64(e.time - epoch_) ^ where) ^ what) ^ e.address);
}

std::uint64_t TrajectoryHash::traffic() const {
  std::uint64_t sum = 0;
  for (const Link& l : links_) sum += mix64(mix64(l.index) ^ (l.flits * flit_bytes));
  return sum;
}

void TrajectoryHash::reset(Tick epoch) {
  for (Link& l : links_) l.flits = 0;
  trajectory_ = 0;
  epoch_ = epoch;
}

}  // namespace tributary
