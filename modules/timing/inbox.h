#pragma once
/// Inbox: packets and credits that have arrived over a device's links and have no effect yet.

#include <cstdint>
#include <utility>
#include <vector>

#include "modules/base/host/arena.h"
#include "modules/base/units.h"
#include "modules/link/core/link_transfer.h"
#include "modules/link/link_params.h"

namespace tributary {

/// A device's state leaves the cache while other devices run. Arrivals are therefore appended to time buckets, and the
/// device reads them once they can have an effect: packets `delay` after the arrival of their first header flit, credits
/// immediately. Entries of one port are in order; the order among ports has no effect.
class Inbox {
 public:
  /// `link`: parameters of the device's links.
  Inbox(Tick delay, const LinkParams& link, const Arena& arena = {});

  /// Returns the time at which the first of the packets can have an effect.
  Tick put_packets(unsigned port, Tick first, const LinkArrival* packets, unsigned count) {
    const Tick when = first + delay_;
    const std::uint64_t index = when >> shift_;
    if (index - first_ >= buckets_.size()) make_room(index);
    Bucket& b = bucket(index);
    if (b.calls.empty()) take_buffers(b);
    b.first = when < b.first ? when : b.first;
    b.calls.emplace_back(first, port, count);
    b.packets.insert(b.packets.end(), packets, packets + count);
    held_ += count;
    return when;
  }
  void put_credits(unsigned port, Tick first, const LinkCredit* credits, unsigned count) {
    if (calls_.empty()) take(spare_.calls, calls_), take(spare_.credits, credits_);
    calls_.emplace_back(first, port, count);
    credits_.insert(credits_.end(), credits, credits + count);
  }

  /// Removes all credits: `credit(port, first, credits, count)`.
  template <class Credit>
  void take_credits(Credit&& credit) {
    if (calls_.empty()) return;
    const LinkCredit* credits = credits_.data();
    for (const Call& c : calls_) credit(c.port, c.first, credits, c.count), credits += c.count;
    give(spare_.calls, calls_), give(spare_.credits, credits_);
  }
  /// Removes the packets that can have an effect up to `horizon`: `accept(port, packet, head, tail)`. Whole buckets are
  /// drained, so a few later packets may be included.
  template <class Accept>
  void take_packets(Tick horizon, Accept&& accept) {
    const std::uint64_t last = horizon >> shift_;
    for (; held_ != 0 && first_ <= last; ++first_) {
      empty(bucket(first_), accept);
      if (first_ == last) break;  // more packets may arrive for this bucket
    }
    if (held_ == 0) first_ = last;
  }
  /// Returns the earliest time at which a packet in the inbox can have an effect, `never` if it is empty.
  Tick next() const {
    if (held_ == 0) return never;
    std::uint64_t index = first_;
    while (bucket(index).packets.empty()) ++index;
    return bucket(index).first;
  }
  std::size_t packets() const { return held_; }
  void reset();

 private:
  struct Call {
    Call(Tick first_, unsigned port_, unsigned count_) : first(first_), port(port_), count(count_) {}
    Tick first;
    std::uint32_t port, count;
  };
  struct Bucket {
    std::vector<Call> calls;
    std::vector<LinkArrival> packets;  // concatenated over these calls
    Tick first = never;
  };

  // Empty buffers are shared: an inbox reuses the buffer that was emptied last, even by another device, as it is still in
  // the cache.
  template <class T>
  using Spare = std::vector<std::vector<T>>;
  template <class T>
  static void take(Spare<T>& spare, std::vector<T>& buffer) {
    if (spare.empty()) return;
    buffer = std::move(spare.back());
    spare.pop_back();
  }
  template <class T>
  static void give(Spare<T>& spare, std::vector<T>& buffer) {
    buffer.clear();
    spare.push_back(std::move(buffer));
  }
  struct Spares {
    Spare<Call> calls;
    Spare<LinkArrival> packets;
    Spare<LinkCredit> credits;
  };
  void take_buffers(Bucket& b) { take(spare_.calls, b.calls), take(spare_.packets, b.packets); }
  void give_buffers(Bucket& b) { give(spare_.calls, b.calls), give(spare_.packets, b.packets); }

  Bucket& bucket(std::uint64_t index) { return buckets_[index & (buckets_.size() - 1)]; }
  const Bucket& bucket(std::uint64_t index) const { return buckets_[index & (buckets_.size() - 1)]; }
  [[gnu::cold]] void make_room(std::uint64_t index);

  template <class Accept>
  void empty(Bucket& b, Accept&& accept) {
    constexpr std::size_t ahead = 8;
    const std::size_t count = b.packets.size();
    for (std::size_t i = 0; i < count && i < ahead; ++i) __builtin_prefetch(b.packets[i].packet);
    std::size_t i = 0;
    for (const Call& c : b.calls)
      for (const std::size_t end = i + c.count; i < end; ++i) {
        if (i + ahead < count) __builtin_prefetch(b.packets[i + ahead].packet);
        const LinkArrival& p = b.packets[i];
        const Tick head = c.first + p.after;
        accept(c.port, p.packet, head, head + p.duration);
      }
    held_ -= count;
    if (count != 0) give_buffers(b);
    b.first = never;
  }

  Arena arena_;
  Spares& spare_;
  Tick delay_;
  unsigned shift_;
  std::vector<Bucket> buckets_;  // a power of two; bucket i holds times from i << shift_ on
  std::uint64_t first_ = 0;      // index of the first bucket in use
  std::size_t held_ = 0;
  std::vector<Call> calls_;
  std::vector<LinkCredit> credits_;  // concatenated over these calls
};

}  // namespace tributary
