#pragma once
/// NicFeed: the source of the payloads that a NIC sends.

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "modules/ethernet/core/verbs.h"

namespace tributary {

/// The NIC that a feed supplies.
class NicFeedListener {
 public:
  virtual ~NicFeedListener() = default;
  /// The packet that the queue pair sends next can be built from `now` on, after NicFeed::available() has returned `never`.
  virtual void fed(unsigned queue_pair, Tick now) = 0;
};

/// A NIC builds a packet once the wire is free and the feed has its data. Calls are in order of time.
class NicFeed {
 public:
  /// The payload of the packet that a queue pair sends next.
  struct Payload {
    unsigned queue_pair = 0;
    std::uint64_t request = 0;         ///< earlier requests of the queue pair
    std::uint64_t unacknowledged = 0;  ///< the first request that may be sent again: `request` or an earlier one
    std::uint32_t offset = 0;          ///< first byte, in the message
    std::uint32_t bytes = 0;
  };
  virtual ~NicFeed() = default;
  /// True if a packet waits for data of its own: posted(), available() and nothing_left() are called.
  virtual bool by_packet() const { return false; }
  /// A request follows the earlier ones of its queue pair.
  virtual void posted(unsigned /*queue_pair*/, const WriteRequest& /*request*/, Tick /*now*/) {}
  /// Returns the time from which the packet can be built; `never`: it is not known yet, and NicFeedListener::fed() follows.
  /// After a NACK or timeout, the packet is one that has been built before.
  virtual Tick available(const Payload&, Tick /*now*/) { return 0; }
  /// The queue pair has no packet to send. What has been fetched for it is not needed, except after a NACK or timeout.
  virtual void nothing_left(unsigned /*queue_pair*/, std::uint64_t /*unacknowledged*/) {}
  /// The packet is built: its data (data_in()) are copied to `to` unless that is null or by_packet() is false. Returns the
  /// time from which the next packet of any queue pair can be built.
  virtual Tick take(const Payload& payload, std::byte* to, Tick now) = 0;
  virtual void reset() = 0;
};

/// Software that supplies the payloads of all queue pairs together at a constant rate.
class RateFeed final : public NicFeed {
 public:
  explicit RateFeed(Bandwidth rate) : rate_(rate) {}
  Tick take(const Payload& payload, std::byte*, Tick now) override {
    return now + static_cast<Tick>(std::llround(payload.bytes * 1e12 / static_cast<double>(rate_.value)));
  }
  void reset() override {}

 private:
  Bandwidth rate_;
};

}  // namespace tributary
