#pragma once
/// DmaReader: fetches the chunk of an issued entry from memory (Huang et al., ISCA 2021, IV-A).

#include <algorithm>
#include <cstdint>
#include <deque>

#include "modules/base/clocked_part.h"
#include "modules/base/host/wide.h"
#include "modules/base/probe.h"
#include "modules/base/units.h"
#include "modules/nic/nic_params.h"

namespace tributary {

/// A request {StartAddr, Size} is answered after the memory's latency, then at its rate; requests are served in sequence,
/// and answered in that order. A memory that is out of order answers in an order of its own, by deferred answers.
class DmaReader {
 public:
  explicit DmaReader(const NicMemoryParams& params) : rate_(params.rate.value_or(bytes_per_second(0)).value) {}

  /// Times at which data are available: the first and the last byte, and evenly in between.
  struct Burst {
    Tick first, last;
    std::uint64_t bytes;
    Ticket ticket = 0;  ///< request of a pending burst

    /// True if its times are not known yet; they are `never`.
    bool pending() const { return first == never; }
    /// Returns the time at which the first `n` bytes are available, rounded up.
    Tick at(std::uint64_t n) const {
      return n >= bytes || first == last
                 ? last
                 : first + static_cast<Tick>((static_cast<Wide>(last - first) * n + bytes - 1) / bytes);
    }
  };
  /// Returns the time at which the memory accepts a request that is made at `now`.
  Tick accepts(Tick now) const { return std::max(now, free_at_); }
  /// `latency`: from the acceptance to the first byte. `interval`: from the last byte to the next acceptance.
  Burst request(Tick now, std::uint64_t bytes, Tick latency, Tick interval = 0) {
    const Tick start = accepts(now), lasts = time(bytes);
    free_at_ = start + lasts + interval;
    request_probe_(now, bytes);
    if (__builtin_expect(latency == never || !awaited_.empty(), 0)) return await(start, bytes, latency);
    const Tick first = std::max(start + latency, answered_);
    return {first, answered_ = first + lasts, bytes};
  }
  /// Sets the ticket of the next pending request. `in_order`: the memory answers in the order of requests.
  void expect(Ticket ticket, bool in_order) { ticket_ = ticket, in_order_ = in_order; }
  /// A request is answered: its first byte is there at `when`. Calls f(burst) for each burst whose times are known now.
  template <class F>
  void answered(Ticket ticket, Tick when, F&& f) {
    const auto at = std::find_if(awaited_.begin(), awaited_.end(), [&](const Awaited& a) { return a.ticket == ticket; });
    at->answer = when;
    if (!in_order_) {
      const Awaited known = *at;
      awaited_.erase(at);
      return f(burst(known));
    }
    while (!awaited_.empty() && awaited_.front().answer != never) {
      const Awaited known = awaited_.front();
      awaited_.pop_front();
      f(burst(known));
    }
  }
  void reset() {
    free_at_ = answered_ = 0;
    awaited_.clear();
  }
  void describe(ProbeDirectory& directory, const std::string& prefix) {
    directory.add_signal(prefix + "dma.request", request_probe_, SignalKind::strobe, 32, "DMA request to memory (bytes)");
  }

 private:
  struct Awaited {
    Ticket ticket;
    std::uint64_t bytes;
    Tick answer;  // first byte, if nothing was before it; never: not known
  };
  /// An answer that is known may still have to wait for those before it.
  [[gnu::cold]] Burst await(Tick start, std::uint64_t bytes, Tick latency) {
    const Awaited a{ticket_, bytes, latency == never ? never : start + latency};
    if (!in_order_ && a.answer != never) return burst(a);
    awaited_.push_back(a);
    return {never, never, bytes, ticket_};
  }
  Burst burst(const Awaited& a) {
    const Tick first = std::max(a.answer, answered_);
    return {first, answered_ = first + time(a.bytes), a.bytes, a.ticket};
  }
  Tick time(std::uint64_t bytes) const {
    if (rate_ == 0) return 0;
    return static_cast<Tick>((static_cast<Wide>(bytes) * 1'000'000'000'000ull + rate_ - 1) / rate_);
  }
  std::uint64_t rate_;               // 0: unlimited
  Tick free_at_ = 0, answered_ = 0;  // answered_: last byte of the latest request
  std::deque<Awaited> awaited_;      // pending, in order
  Ticket ticket_ = 0;
  bool in_order_ = true;
  SignalProbe request_probe_;
};

}  // namespace tributary
