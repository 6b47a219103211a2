#pragma once
/// HeaderBuffer: stores the headers of gradients, by slot and rank, until their results leave (Liu et al., 4 and Fig. 8).

#include <cstdint>
#include <vector>

#include "modules/base/units.h"
#include "modules/protocol/roce.h"

namespace tributary {

class HeaderBuffer {
 public:
  /// Ethernet 14, IPv4 20, UDP 8, BTH 12, RETH 16.
  static constexpr unsigned entry_bytes = 70;
  struct Entry {
    RoceHeader header{};
    Tick born = 0;
    std::uint16_t payload_bytes = 0;
  };

  /// Adds rows for a ring after those of other rings. Returns the number of the first row.
  std::uint32_t add(std::uint32_t slots, unsigned ranks) {
    const auto first = static_cast<std::uint32_t>(entries_.size());
    entries_.resize(entries_.size() + std::size_t{slots} * ranks);
    return first;
  }
  static Entry entry_of(const Packet& frame) { return {roce(frame), frame.born, frame.payload_bytes}; }
  void store(std::uint32_t row, const Packet& frame) { entries_[row] = entry_of(frame); }
  const Entry& operator[](std::uint32_t row) const { return entries_[row]; }
  std::uint64_t bytes() const { return entries_.size() * entry_bytes; }
  void clear() { entries_.clear(); }

 private:
  std::vector<Entry> entries_;
};

}  // namespace tributary
