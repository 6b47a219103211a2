#pragma once
/// LaneMailbox and LaneCrossing: a link between devices of two lanes, which run on different threads (docs/parallel.md).

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "modules/base/host/byte_stream.h"
#include "modules/link/link_protocol.h"
#include "modules/packet/packet.h"

namespace tributary {

class PayloadViews;
struct LaneCrossing;

/// Transfers from one lane to another. The sending lane posts and publishes, and the receiving lane drains, each on its own
/// thread and without locks. Packets cross by value: each lane has packet pools of its own.
class alignas(128) LaneMailbox {
 public:
  using Forward = tlm::tlm_fw_nonblocking_transport_if<LinkTransfer, LinkPhase>;
  using Backward = tlm::tlm_bw_nonblocking_transport_if<LinkTransfer, LinkPhase>;

  LaneMailbox() = default;
  ~LaneMailbox();
  LaneMailbox(const LaneMailbox&) = delete;
  LaneMailbox& operator=(const LaneMailbox&) = delete;

  // ---- the sending lane
  /// Begins a transfer of packets to `to`, whose lane adopts them into `pool`; add() follows for each of them. `crossing`:
  /// number of the crossing of the port that posts (LaneCrossing).
  void begin_packets(Forward& to, PacketPool& pool, Tick first, unsigned count, Tick safe_until, unsigned crossing = 0) {
    open_->calls.push_back({&to, nullptr, &pool, first, safe_until, count, crossing});
    packets_ += count;
  }
  /// Adds a packet with a copy of its data, and returns the copy of the packet; `data` is null if it carries none.
  Packet& add(const LinkArrival& arrival, const std::byte* data) {
    Batch& b = *open_;
    b.images.push_back({arrival.after, arrival.duration, data != nullptr, *arrival.packet});
    if (data != nullptr) b.payloads.insert(b.payloads.end(), data, data + arrival.packet->payload_bytes);
    return b.images.back().packet;
  }
  void post_credits(Backward& to, Tick first, const LinkCredit* credits, unsigned count, Tick safe_until,
                    unsigned crossing = 0) {
    open_->calls.push_back({nullptr, &to, nullptr, first, safe_until, count, crossing});
    open_->credits.insert(open_->credits.end(), credits, credits + count);
  }
  /// Lets the receiving lane drain all that has been posted. Returns false if nothing has been posted since the last call.
  bool publish();
  /// Returns the number of packets that have been posted so far.
  std::uint64_t packets() const { return packets_; }

  // ---- the receiving lane
  /// Returns false if it has drained all that has been published.
  bool published() const { return !published_.empty(); }
  /// Makes all published calls, in the order of the posts. `now`: kernel time.
  void drain(Tick now);

  // ---- while no lane runs
  bool empty() const { return open_->calls.empty() && !published(); }
  void clear();
  /// Writes all posts for a mailbox of another process, which finds the far ends by the numbers of the crossings, and
  /// removes them.
  void pack(ByteWriter& to);
  /// Publishes the posts that pack() has written. `crossings`: those of this process, by number. Throws std::out_of_range
  /// for bytes that pack() does not write.
  void unpack(ByteReader& from, const std::deque<LaneCrossing>& crossings);

 private:
  struct Call {
    Forward* forward;
    Backward* backward;
    PacketPool* pool;
    Tick first, safe_until;
    unsigned count;
    unsigned crossing;
  };
  struct Image {
    std::uint32_t after, duration;
    bool has_data;
    Packet packet;
  };
  /// Calls of one publication. The receiver returns it empty, so that its storage is used again.
  struct Batch {
    std::vector<Call> calls;
    std::vector<Image> images;        // concatenated over the calls
    std::vector<LinkCredit> credits;  // likewise
    std::vector<std::byte> payloads;  // concatenated over the packets with data
    Batch* next = nullptr;
    void make_calls(Tick now, std::vector<LinkArrival>& arrivals);
    void pack(ByteWriter& to) const;
    void unpack(ByteReader& from, const std::deque<LaneCrossing>& crossings);
    void clear();
  };
  /// A stack of batches, of which one thread pushes one and another removes all.
  class Stack {
   public:
    void push(Batch* batch) {
      batch->next = top_.load(std::memory_order_relaxed);
      while (!top_.compare_exchange_weak(batch->next, batch, std::memory_order_release, std::memory_order_relaxed)) {
      }
    }
    Batch* remove_all() { return top_.exchange(nullptr, std::memory_order_acquire); }
    bool empty() const { return top_.load(std::memory_order_relaxed) == nullptr; }

   private:
    std::atomic<Batch*> top_{nullptr};
  };
  static void deliver(const Call& call, Tick now, const Image*& image, const std::byte*& data,
                      std::vector<LinkArrival>& arrivals);
  void take_published();
  void give_back();

  // Each group of members is written by one of the lanes, and has cache lines of its own.
  Batch* open_ = new Batch;
  Batch* spare_ = nullptr;  // empty batches of the sender
  std::uint64_t packets_ = 0;
  alignas(128) Stack published_;  // latest first
  Stack returned_;
  alignas(128) Batch* draining_ = nullptr;  // oldest first
  std::vector<LinkArrival> arrivals_;
};

class LanePort;

/// The end of a link that sends into another lane.
struct LaneCrossing {
  LaneMailbox* mailbox;
  PacketPool* pool;          ///< pool of the receiving lane
  PayloadViews* views;       ///< data that packets of the sending lane view; null without such packets
  unsigned number = 0;       ///< in netlist order, equal in all processes that elaborate the platform
  LanePort* port = nullptr;  ///< the port that sends
};

/// Facet of a port whose link may lead into another lane.
class LanePort {
 public:
  virtual ~LanePort() = default;
  /// Call during elaboration; the crossing must outlive the port.
  virtual void set_crossing(const LaneCrossing& crossing) = 0;
  /// Return the interfaces of the far end, which receive its packets and its credits, once the simulation has started.
  virtual LaneMailbox::Forward& far_forward() = 0;
  virtual LaneMailbox::Backward& far_backward() = 0;
};

}  // namespace tributary
