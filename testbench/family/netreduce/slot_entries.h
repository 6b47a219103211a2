#pragma once
/// SlotEntries: slots of accelerators as entries of reduction state, for timelines.

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "modules/netreduce/core/slot_event.h"
#include "testbench/record/timeline.h"

namespace tributary {

/// A slot is an entry from its first packet until the sum leaves the adders. Repeated packets are no operands, and events of
/// a slot that holds its sum belong to no entry.
class SlotEntries {
 public:
  /// Attaches to all slots of the directory, which must not fire after this object is destroyed.
  SlotEntries(const ProbeDirectory& probes, unsigned message_packets);

  std::vector<EntrySource> sources();
  /// Empties all slots.
  void reset();
  static std::uint16_t ring_of(std::uint32_t entry) { return static_cast<std::uint16_t>(entry >> slot_bits); }

 private:
  static constexpr unsigned slot_bits = 19;  // 2 x 64 messages of 4096 packets; leaves 8192 concurrent rings
  struct Tap {
    Tap(SlotEntries* entries, std::string name) : all(entries), probe(std::move(name)) {}
    SlotEntries* all;
    std::string probe;
    ReductionProbe events;
    std::map<std::uint32_t, std::uint64_t> open;  ///< by entry: members whose packets have arrived
  };
  void on_slot(Tap& tap, Tick time, const SlotEvent& event) const;

  unsigned message_packets_;
  std::deque<Tap> taps_;  // stable addresses: probes keep them
};

}  // namespace tributary
