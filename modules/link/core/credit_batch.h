#pragma once
/// BasicCreditBatch: buffer space that a device has freed in one window, by port.

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>

#include "modules/link/core/device_ports.h"
#include "modules/link/core/link_transfer.h"

namespace tributary {

/// Collects credits in any order of ports, and returns those of a port in one call.
template <unsigned max_ports>
class BasicCreditBatch {
 public:
  using PortMask = PortMaskOf<max_ports>;
  static constexpr unsigned max_credits = 32;  ///< per port

  BasicCreditBatch() { clear(); }

  /// Adds a credit; times of one port ascend. Returns true if the port is full and must be emptied before the next call.
  bool add(unsigned port, Tick when, unsigned vc, unsigned flits) {
    Row& row = rows_[port];
    row.first = std::min(row.first, when);
    assert(when >= row.first && (when - row.first) >> 32 == 0);
    row.credits[row.count++] = {static_cast<std::uint32_t>(when - row.first), static_cast<std::uint8_t>(vc),
                                static_cast<std::uint16_t>(flits)};
    ports_ |= port_bit<PortMask>(port);
    return row.count == max_credits;
  }
  /// Returns the ports with credits, a bit each.
  PortMask ports() const { return ports_; }
  /// Calls `deliver(first, credits, count)`, even without credits.
  template <class Deliver>
  void empty_into(unsigned port, Deliver&& deliver) {
    Row& row = rows_[port];
    deliver(row.first, row.credits.data(), row.count);
    row.first = never;
    row.count = 0;
    ports_ &= ~port_bit<PortMask>(port);
  }
  void clear() {
    for (Row& row : rows_) row.first = never, row.count = 0;
    ports_ = 0;
  }

 private:
  struct Row {
    Tick first;  // never without credits
    std::uint32_t count;
    std::array<LinkCredit, max_credits> credits;
  };
  std::array<Row, max_ports> rows_;
  PortMask ports_ = 0;
};
using CreditBatch = BasicCreditBatch<max_word_ports>;

}  // namespace tributary
