#pragma once
/// Inbox: what comes over the links of a device, until it can matter.

#include <cstdint>
#include <utility>
#include <vector>

#include "modules/base/host/arena.h"
#include "modules/base/units.h"
#include "modules/link/core/link_transfer.h"
#include "modules/link/link_params.h"

namespace tributary {

/// A device's state has left the cache while others run. So what they send is written down here, one line after another in
/// buckets of time, and the device looks at it when it can matter: packets `delay` after their first header flit has come,
/// credits at once. Entries of one port are in order; the order among ports does not show.
class Inbox {
 public:
  /// Of a device with such links.
  Inbox(Tick delay, const LinkParams& link, const Arena& arena = {});

  /// Returns when the first of the packets can matter.
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

  /// Takes out all credits: `credit(port, first, credits, count)`.
  template <class Credit>
  void take_credits(Credit&& credit) {
    if (calls_.empty()) return;
    const LinkCredit* credits = credits_.data();
    for (const Call& c : calls_) credit(c.port, c.first, credits, c.count), credits += c.count;
    give(spare_.calls, calls_), give(spare_.credits, credits_);
  }
  /// Takes out the packets that can matter up to `horizon` (and some that can soon after, as buckets go whole):
  /// `accept(port, packet, head, tail)`.
  template <class Accept>
  void take_packets(Tick horizon, Accept&& accept) {
    const std::uint64_t last = horizon >> shift_;
    for (; held_ != 0 && first_ <= last; ++first_) {
      empty(bucket(first_), accept);
      if (first_ == last) break;  // more may come for it
    }
    if (held_ == 0) first_ = last;
  }
  /// When the first of the packets left here can matter, `never` without one.
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
    std::vector<LinkArrival> packets;  // of these calls
    Tick first = never;
  };

  // Empty buffers have no owner: an inbox that needs one gets the one that was emptied last, perhaps by another device, and
  // finds it in the cache.
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
  std::vector<Bucket> buckets_;  // a power of two of them: bucket i holds the times from i << shift_ on
  std::uint64_t first_ = 0;      // index of the first one in use
  std::size_t held_ = 0;
  std::vector<Call> calls_;
  std::vector<LinkCredit> credits_;  // of these calls
};

}  // namespace tributary
