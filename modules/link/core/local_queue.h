#pragma once
/// The queue of a device's own events, in order of (time, key): a timing wheel, with a heap for what lies beyond it.

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <functional>
#include <vector>

#include "modules/base/units.h"

namespace tributary {

/// An event is one 64-bit word: 52 bits of picoseconds (75 minutes), 12 bits of key. Equal events are equal words, so the
/// order in which they were scheduled cannot show. The wheel has 1024 buckets of 256 ps, each a short sorted list; nothing
/// is scheduled before the last event that was popped.
class LocalQueue {
 public:
  static constexpr unsigned key_bits = 12;

  LocalQueue() { clear(); }

  void schedule(Tick when, unsigned key) {
    assert(key < (1u << key_bits) && when < (Tick{1} << (64 - key_bits)) && when >= now_);
    const std::uint64_t word = (when << key_bits) | key;
    if ((when >> shift) - (now_ >> shift) < buckets)
      insert(static_cast<unsigned>(when >> shift) % buckets, word);
    else
      far_.push_back(word), std::push_heap(far_.begin(), far_.end(), std::greater<>());
    if (word < next_) next_ = word;
  }
  bool empty() const { return next_ == never; }
  Tick next() const { return next_ == never ? never : next_ >> key_bits; }
  unsigned next_key() const { return static_cast<unsigned>(next_ & ((1u << key_bits) - 1)); }

  void pop() {
    now_ = next_ >> key_bits;
    const unsigned bucket = static_cast<unsigned>(now_ >> shift) % buckets;
    const std::uint32_t node = heads_[bucket];
    if (node != none && nodes_[node].word == next_) {
      heads_[bucket] = nodes_[node].next;
      nodes_[node].next = free_;
      free_ = node;
      if (heads_[bucket] == none) unmark(bucket);
    } else {
      std::pop_heap(far_.begin(), far_.end(), std::greater<>());
      far_.pop_back();
    }
    next_ = first();
  }
  void clear() {
    heads_.fill(none);
    occupied_.fill(0);
    words_ = 0;
    nodes_.clear();
    far_.clear();
    free_ = none;
    now_ = 0;
    next_ = never;
  }

 private:
  static constexpr unsigned shift = 8, buckets = 1024;
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  struct Node {
    std::uint64_t word;
    std::uint32_t next;
  };

  void insert(unsigned bucket, std::uint64_t word) {
    std::uint32_t node = free_;
    if (node == none) {
      node = static_cast<std::uint32_t>(nodes_.size());
      nodes_.push_back({});
    } else {
      free_ = nodes_[node].next;
    }
    occupied_[bucket / 64] |= std::uint64_t{1} << (bucket % 64);
    words_ |= 1u << (bucket / 64);
    std::uint32_t* link = &heads_[bucket];
    while (*link != none && nodes_[*link].word < word) link = &nodes_[*link].next;
    nodes_[node] = {word, *link};
    *link = node;
  }
  void unmark(unsigned bucket) {
    occupied_[bucket / 64] &= ~(std::uint64_t{1} << (bucket % 64));
    if (occupied_[bucket / 64] == 0) words_ &= ~(1u << (bucket / 64));
  }
  /// The earliest word; buckets are searched from the current one on, round the wheel.
  std::uint64_t first() const {
    const std::uint64_t far = far_.empty() ? never : far_.front();
    if (words_ == 0) return far;
    const unsigned start = static_cast<unsigned>(now_ >> shift) % buckets;
    unsigned word = start / 64;
    std::uint64_t bits = occupied_[word] >> (start % 64) << (start % 64);
    if (bits == 0) {
      const std::uint32_t later = word + 1 < 16 ? words_ >> (word + 1) << (word + 1) : 0;
      word = static_cast<unsigned>(__builtin_ctz(later != 0 ? later : words_));
      bits = occupied_[word];
    }
    const unsigned bucket = word * 64 + static_cast<unsigned>(__builtin_ctzll(bits));
    return std::min(far, nodes_[heads_[bucket]].word);
  }

  std::array<std::uint32_t, buckets> heads_;
  std::array<std::uint64_t, buckets / 64> occupied_;  // a bit per bucket
  std::uint32_t words_;                               // a bit per word of occupied_
  std::vector<Node> nodes_;
  std::vector<std::uint64_t> far_;
  std::uint32_t free_;
  Tick now_;
  std::uint64_t next_;
};

}  // namespace tributary
