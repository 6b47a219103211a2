#pragma once
/// The small queue of a device's own events, in order of (time, key).

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <vector>

#include "modules/base/units.h"

namespace tributary {

/// A 4-ary heap of 64-bit words: 52 bits of picoseconds (75 minutes), 12 bits of key. Equal events are equal words, so the
/// order in which they were scheduled cannot show.
class LocalQueue {
 public:
  static constexpr unsigned key_bits = 12;

  void schedule(Tick when, unsigned key) {
    assert(key < (1u << key_bits) && when < (Tick{1} << (64 - key_bits)));
    const std::uint64_t word = (when << key_bits) | key;
    std::size_t i = heap_.size();
    heap_.push_back(word);
    while (i > 0) {
      const std::size_t parent = (i - 1) / 4;
      if (heap_[parent] <= word) break;
      heap_[i] = heap_[parent];
      i = parent;
    }
    heap_[i] = word;
  }
  bool empty() const { return heap_.empty(); }
  Tick next() const { return heap_.empty() ? never : heap_.front() >> key_bits; }
  unsigned next_key() const { return static_cast<unsigned>(heap_.front() & ((1u << key_bits) - 1)); }
  void pop() {
    const std::uint64_t word = heap_.back();
    heap_.pop_back();
    const std::size_t n = heap_.size();
    if (n == 0) return;
    std::size_t i = 0;
    for (;;) {
      const std::size_t first = 4 * i + 1;
      if (first >= n) break;
      std::size_t least = first;
      for (std::size_t c = first + 1; c < std::min(first + 4, n); ++c)
        if (heap_[c] < heap_[least]) least = c;
      if (heap_[least] >= word) break;
      heap_[i] = heap_[least];
      i = least;
    }
    heap_[i] = word;
  }
  void clear() { heap_.clear(); }

 private:
  std::vector<std::uint64_t> heap_;
};

}  // namespace tributary
