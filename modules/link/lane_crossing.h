#pragma once
/// LaneMailbox and LaneCrossing: a link between devices of two lanes, which run on different threads (docs/parallel.md).

#include <cstddef>
#include <cstdint>
#include <vector>

#include "modules/link/link_protocol.h"
#include "modules/packet/packet.h"

namespace tributary {

class PayloadViews;

/// Transfers from one lane to another. The sending lane posts during a step, the receiving lane drains after it, so that
/// neither of them needs a lock. Packets cross by value: each lane has packet pools of its own.
class LaneMailbox {
 public:
  using Forward = tlm::tlm_fw_nonblocking_transport_if<LinkTransfer, LinkPhase>;
  using Backward = tlm::tlm_bw_nonblocking_transport_if<LinkTransfer, LinkPhase>;

  /// Begins a transfer of packets to `to`, whose lane adopts them into `pool`; add() follows for each of them.
  void begin_packets(Forward& to, PacketPool& pool, Tick first, unsigned count, Tick safe_until) {
    calls_.push_back({&to, nullptr, &pool, first, safe_until, count});
    packets_ += count;
  }
  /// Adds a packet with a copy of its data, and returns the copy of the packet; `data` is null if it carries none.
  Packet& add(const LinkArrival& arrival, const std::byte* data) {
    images_.push_back({arrival.after, arrival.duration, data != nullptr, *arrival.packet});
    if (data != nullptr) payloads_.insert(payloads_.end(), data, data + arrival.packet->payload_bytes);
    return images_.back().packet;
  }
  void post_credits(Backward& to, Tick first, const LinkCredit* credits, unsigned count, Tick safe_until) {
    calls_.push_back({nullptr, &to, nullptr, first, safe_until, count});
    credits_.insert(credits_.end(), credits, credits + count);
  }
  bool empty() const { return calls_.empty(); }
  /// Makes all calls, in the order of the posts. `now`: kernel time.
  void drain(Tick now);
  void clear();
  /// Returns the number of packets that have been posted so far.
  std::uint64_t packets() const { return packets_; }

 private:
  struct Call {
    Forward* forward;
    Backward* backward;
    PacketPool* pool;
    Tick first, safe_until;
    unsigned count;
  };
  struct Image {
    std::uint32_t after, duration;
    bool has_data;
    Packet packet;
  };
  void deliver(const Call& call, Tick now, const Image*& image, const std::byte*& data);

  std::vector<Call> calls_;
  std::vector<Image> images_;        // concatenated over the calls
  std::vector<LinkCredit> credits_;  // likewise
  std::vector<std::byte> payloads_;  // concatenated over the packets with data
  std::vector<LinkArrival> arrivals_;
  std::uint64_t packets_ = 0;
};

/// The end of a link that sends into another lane.
struct LaneCrossing {
  LaneMailbox* mailbox;
  PacketPool* pool;     ///< pool of the receiving lane
  PayloadViews* views;  ///< data that packets of the sending lane view; null without such packets
};

/// Facet of a port whose link may lead into another lane.
class LanePort {
 public:
  virtual ~LanePort() = default;
  /// Call during elaboration; the crossing must outlive the port.
  virtual void set_crossing(const LaneCrossing& crossing) = 0;
};

}  // namespace tributary
