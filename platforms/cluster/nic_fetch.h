#pragma once
/// NicFetch: decides which payloads a NIC fetches over PCIe, and when a packet has its data.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "modules/base/host/ring_queue.h"
#include "modules/packet/packet.h"
#include "modules/roce/core/host_memory_port.h"
#include "modules/roce/core/nic_feed.h"

namespace tributary {

/// Queue pairs fetch in turn, read by read, in the order of their packets. All together have at most `window` bytes in
/// flight, and each queue pair has at most `window` bytes that are in flight or not sent, so a queue pair that cannot send
/// does not stop others. Data that a rewound queue pair has fetched for later packets are dropped.
class NicFetch {
 public:
  struct Config {
    unsigned mtu = 4096;      ///< payload bytes of a packet
    unsigned read = 4096;     ///< most bytes of a read
    unsigned window = 65536;  ///< bytes
  };
  struct Read {
    unsigned queue_pair = 0;
    std::uint32_t tag = 0;
    std::uint64_t address = 0;
    std::uint32_t bytes = 0;
  };
  using Payload = NicFeed::Payload;

  explicit NicFetch(const Config& config) : config_(config) {}
  ~NicFetch() { reset(); }
  NicFetch(const NicFetch&) = delete;
  NicFetch& operator=(const NicFetch&) = delete;

  void posted(unsigned queue_pair, const WriteRequest& request);
  /// Decides on the next read. Returns false if none can be issued now.
  bool next_read(Read& read);
  /// The data of a read have arrived; takes over the packet. Returns true if the queue pair waits for its next packet, which
  /// is complete now; `queue_pair`: the queue pair of the read.
  bool answered(std::uint32_t tag, Packet* data, Tick when, unsigned& queue_pair);
  /// As NicFeed::available(). Reads may be possible after it.
  Tick available(const Payload& payload);
  /// As NicFeed::nothing_left().
  void nothing_left(unsigned queue_pair, std::uint64_t unacknowledged);
  /// As NicFeed::take(). Precondition: the payload is available.
  void take(const Payload& payload, std::byte* to);

  unsigned in_flight() const { return in_flight_; }
  std::uint64_t dropped_bytes() const { return dropped_; }
  void reset();

 private:
  /// A read of a packet's data; of 0 bytes if the packet has none.
  struct Piece {
    std::uint64_t request;
    std::uint32_t offset;  // the packet's, in the message
    std::uint32_t at;      // the piece's, in the packet
    std::uint32_t bytes;
    bool last;   // piece of the packet
    Tick ready;  // `never`: in flight
    Packet* data;
  };
  struct Pair {
    RingQueue<WriteRequest> requests;
    std::uint64_t first_request = 0;  // number of the first one
    // what is fetched next
    std::uint64_t request = 0;
    std::uint32_t offset = 0, done = 0;  // packet in the message; data bytes of the packet that are requested
    RingQueue<Piece> pieces;             // requested, and not sent
    std::uint64_t first_piece = 0;       // number of the first one
    unsigned bytes = 0;                  // in all pieces
    bool waits = false;                  // the NIC waits for its next packet
  };
  struct InFlight {
    unsigned queue_pair = 0;
    std::uint64_t piece = 0;
    std::uint32_t bytes = 0;
  };
  Pair& pair(unsigned queue_pair);
  const WriteRequest& request(const Pair& p, std::uint64_t number) const {
    return p.requests[static_cast<std::uint32_t>(number - p.first_request)];
  }
  bool fetches(const Pair& p) const { return p.request < p.first_request + p.requests.size(); }
  bool has_room(const Pair& p, std::uint32_t bytes) const;
  std::uint32_t piece_bytes(const Pair& p) const;
  void stage(Pair& p, std::uint32_t bytes, Tick ready);
  void stage_empty(Pair& p);
  void drop_front(Pair& p);
  void forget(Pair& p, std::uint64_t unacknowledged);
  void align(Pair& p, const Payload& payload);
  static Tick ready(const Pair& p);

  Config config_;
  std::vector<Pair> pairs_;
  std::vector<InFlight> reads_;      // by tag
  std::vector<std::uint32_t> free_;  // tags
  unsigned turn_ = 0;                // queue pair that fetches next
  unsigned in_flight_ = 0;           // bytes
  std::uint64_t dropped_ = 0;
};

}  // namespace tributary
