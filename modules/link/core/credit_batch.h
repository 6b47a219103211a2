#pragma once
/// CreditBatch: the buffer space that a device has freed in one window, for each of its ports.

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "modules/base/units.h"

namespace tributary {

/// Room for `flits` of a VC, one of several that come back in one call, so long after the first of them.
struct LinkCredit {
  std::uint32_t after;
  std::uint8_t vc, flits;
};

/// Collects credits in any order of ports, and gives each port's away in one piece.
class CreditBatch {
 public:
  static constexpr unsigned max_ports = 32;

  CreditBatch() { clear(); }

  void add(unsigned port, unsigned vc, unsigned flits, Tick when) {
    entries_.emplace_back(when, port, vc, flits);
    first_[port] = std::min(first_[port], when);
    ++count_[port];
    ports_ |= 1u << port;
  }
  /// `deliver(port, first, credits, count)`: the first comes back at `first`, each of them `after` that.
  template <class Deliver>
  void empty_into(Deliver&& deliver) {
    if (ports_ == 0) return;
    sorted_.resize(entries_.size());
    std::array<std::uint32_t, max_ports> end;
    std::uint32_t place = 0;
    for (std::uint32_t left = ports_; left != 0; left &= left - 1) {
      const auto port = static_cast<unsigned>(__builtin_ctz(left));
      end[port] = place;
      place += count_[port];
    }
    for (const Entry& e : entries_)
      sorted_[end[e.port]++] = {static_cast<std::uint32_t>(e.when - first_[e.port]), e.vc, e.flits};
    for (std::uint32_t left = ports_; left != 0; left &= left - 1) {
      const auto port = static_cast<unsigned>(__builtin_ctz(left));
      deliver(port, first_[port], &sorted_[end[port] - count_[port]], count_[port]);
    }
    clear();
  }
  void clear() {
    entries_.clear();
    first_.fill(never);
    count_.fill(0);
    ports_ = 0;
  }

 private:
  struct Entry {
    Entry(Tick when_, unsigned port_, unsigned vc_, unsigned flits_)
        : when(when_),
          port(static_cast<std::uint8_t>(port_)),
          vc(static_cast<std::uint8_t>(vc_)),
          flits(static_cast<std::uint8_t>(flits_)) {}
    Tick when;
    std::uint8_t port, vc, flits;
  };
  std::vector<Entry> entries_;
  std::vector<LinkCredit> sorted_;
  std::array<Tick, max_ports> first_;
  std::array<std::uint32_t, max_ports> count_;
  std::uint32_t ports_ = 0;
};

}  // namespace tributary
