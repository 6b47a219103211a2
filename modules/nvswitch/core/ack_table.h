#pragma once
/// AckTable: counts the acks of multicasts at the switch port where the multicast entered (`nvswitch.acks=merged`,
/// docs/systems/klenk.md#acknowledgements).

#include <cstdint>
#include <string>
#include <vector>

#include "modules/base/probe.h"
#include "modules/packet/packet.h"

namespace tributary {

/// Holds an entry {block, writer, count, expected} for each multicast that has branched here and is not yet acknowledged by
/// all receivers downstream. In hardware an entry has 84 bits and no data (docs/blocks/nvswitch.md). Acks are never lost and
/// never wait: an ack without an entry passes unmerged and counts for itself further on. The acks of an entry leave as one
/// ack with their count when the last of them has arrived.
class AckTable {
 public:
  /// `entries` may be 0: then every ack passes.
  explicit AckTable(unsigned entries);

  /// Opens an entry for a multicast that continues to `expected` receivers. Returns false if the table is full, or if the
  /// writer's last multicast of that block still has its entry.
  bool open(std::uint64_t address, std::uint16_t writer, std::uint16_t expected, Tick now);

  enum class Answer : std::uint8_t {
    passed,     ///< no entry; the caller keeps the packet
    merged,     ///< counted; the table has released the packet
    completed,  ///< the caller keeps the packet, which carries the total count
  };
  /// Processes an ack for that writer.
  Answer collect(Packet& ack, std::uint16_t writer, Tick now);

  std::uint32_t occupancy() const { return static_cast<std::uint32_t>(entries_.size() - free_.size()); }
  std::vector<std::string> waiting() const;
  void reset();
  void describe(ProbeDirectory& directory, const std::string& prefix);

  /// Strobes with the block number: an ack was counted; an ack passed without an entry; a multicast got no entry.
  SignalProbe merges, passes, refusals;
  SignalProbe occupancy_probe;

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  struct Entry {
    std::uint64_t address = 0;
    std::uint32_t next_in_bucket = none;
    std::uint16_t writer = 0, count = 0, expected = 0;
    bool used = false;
  };
  std::uint32_t& bucket(std::uint64_t address, std::uint16_t writer);
  std::uint32_t* find(std::uint64_t address, std::uint16_t writer);

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> buckets_, free_;
};

}  // namespace tributary
