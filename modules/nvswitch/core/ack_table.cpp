#include "modules/nvswitch/core/ack_table.h"

#include <algorithm>
#include <stdexcept>

#include "modules/base/random.h"
#include "modules/protocol/nvlink.h"

namespace tributary {

AckTable::AckTable(unsigned entries) : entries_(entries) {
  std::size_t buckets = 4;
  while (buckets < 2 * std::size_t{entries}) buckets *= 2;
  buckets_.resize(buckets);
  reset();
}

std::uint32_t& AckTable::bucket(std::uint64_t address, std::uint16_t writer) {
  return buckets_[mix64(address / block_bytes ^ (std::uint64_t{writer} << 40)) & (buckets_.size() - 1)];
}

/// Returns the link that points to the entry, or to none.
std::uint32_t* AckTable::find(std::uint64_t address, std::uint16_t writer) {
  std::uint32_t* link = &bucket(address, writer);
  while (*link != none && (entries_[*link].address != address || entries_[*link].writer != writer))
    link = &entries_[*link].next_in_bucket;
  return link;
}

bool AckTable::open(std::uint64_t address, std::uint16_t writer, std::uint16_t expected, Tick now) {
  std::uint32_t* link = find(address, writer);
  if (free_.empty() || *link != none) {
    refusals(now, address / block_bytes);
    return false;
  }
  const std::uint32_t slot = free_.back();
  free_.pop_back();
  entries_[slot] = {address, none, writer, 0, expected, true};
  *link = slot;
  occupancy_probe(now, occupancy());
  return true;
}

AckTable::Answer AckTable::collect(Packet& ack, std::uint16_t writer, Tick now) {
  NvHeader& h = nv(ack);
  const std::uint64_t block = h.address / block_bytes;
  std::uint32_t* link = find(h.address, writer);
  if (*link == none) {
    passes(now, block);
    return Answer::passed;
  }
  const std::uint32_t slot = *link;
  Entry& e = entries_[slot];
  e.count = static_cast<std::uint16_t>(e.count + h.count);
  if (e.count > e.expected) throw std::logic_error("block " + std::to_string(block) + " has more acks than receivers");
  merges(now, block);
  if (e.count < e.expected) {
    ack.release();
    return Answer::merged;
  }
  h.count = e.count;
  *link = e.next_in_bucket;
  e.used = false;
  free_.push_back(slot);
  occupancy_probe(now, occupancy());
  return Answer::completed;
}

std::vector<std::string> AckTable::waiting() const {
  std::vector<std::string> lines;
  for (const Entry& e : entries_)
    if (e.used)
      lines.push_back("block " + std::to_string(e.address / block_bytes) + " of gpu" + std::to_string(e.writer) + " has " +
                      std::to_string(e.count) + " of " + std::to_string(e.expected) + " acks");
  return lines;
}

void AckTable::reset() {
  std::fill(entries_.begin(), entries_.end(), Entry{});
  std::fill(buckets_.begin(), buckets_.end(), none);
  free_.clear();
  for (auto i = static_cast<std::uint32_t>(entries_.size()); i > 0; --i) free_.push_back(i - 1);
}

void AckTable::describe(ProbeDirectory& directory, const std::string& prefix) {
  directory.add_signal(prefix + "occupancy", occupancy_probe, SignalKind::level, bits_up_to(entries_.size()),
                       "multicasts whose acks are collected");
  directory.add_signal(prefix + "merges", merges, SignalKind::strobe, 41, "an ack is counted (block number)");
  directory.add_signal(prefix + "passes", passes, SignalKind::strobe, 41, "an ack passes without an entry (block number)");
  directory.add_signal(prefix + "refusals", refusals, SignalKind::strobe, 41, "a multicast gets no entry (block number)");
}

}  // namespace tributary
