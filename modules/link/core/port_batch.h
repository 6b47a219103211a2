#pragma once
/// PortBatch: what a device does to its links in one window, sorted by port.

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "modules/base/units.h"

namespace tributary {

/// Collects entries in any order of ports, and gives each port's away in one piece, in the order in which they came. An
/// `Entry` begins with `after`, its time since the first of its port; the batch fills it in.
template <class Entry>
class PortBatch {
 public:
  static constexpr unsigned max_ports = 32;

  PortBatch() { clear(); }

  template <class... Members>
  void add(unsigned port, Tick when, const Members&... members) {
    entries_.emplace_back(when, port, members...);
    first_[port] = std::min(first_[port], when);
    ++count_[port];
    ports_ |= 1u << port;
  }
  /// `deliver(port, first, entries, count)` for each port, in ascending order.
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
    for (const Timed& e : entries_) {
      Entry& sorted = sorted_[end[e.port]++];
      sorted = e.entry;
      sorted.after = static_cast<std::uint32_t>(e.when - first_[e.port]);
    }
    for (std::uint32_t left = ports_; left != 0; left &= left - 1) {
      const auto port = static_cast<unsigned>(__builtin_ctz(left));
      const unsigned count = count_[port];
      deliver(port, first_[port], &sorted_[end[port] - count], count);
      first_[port] = never;
      count_[port] = 0;
    }
    entries_.clear();
    ports_ = 0;
  }
  void clear() {
    entries_.clear();
    first_.fill(never);
    count_.fill(0);
    ports_ = 0;
  }

 private:
  struct Timed {
    template <class... Members>
    Timed(Tick when_, unsigned port_, const Members&... members) : when(when_), entry{0, members...}, port(port_) {}
    Tick when;
    Entry entry;
    std::uint32_t port;
  };
  std::vector<Timed> entries_;
  std::vector<Entry> sorted_;
  std::array<Tick, max_ports> first_;
  std::array<std::uint32_t, max_ports> count_;
  std::uint32_t ports_ = 0;
};

}  // namespace tributary
