#pragma once
/// PeerReads: the reads of a port hub, and its answers to reads of peers (docs/blocks/copy_engine.md#copies-that-read).

#include <cstdint>

#include "modules/packet/packet.h"
#include "modules/streams/core/copy_hub.h"

namespace tributary {

/// A read asks a peer for the data of a burst: a packet of 2 flits with a Request as its payload. The peer answers by a
/// burst whose header names the copy and lane of the read. A copy of the peer's hub, whose source is this class, holds this
/// burst until it has left.
class PeerReads : public BurstSource {
 public:
  /// Content of a read's flit.
  struct Request {
    std::uint64_t destination;
    std::uint32_t copy;  // number at the hub that reads
    std::uint16_t flits;
    std::uint8_t lane;
    bool last;
  };
  static_assert(sizeof(Request) == 16);

  /// `latency`: of the memory, from the arrival of a read to its data.
  PeerReads(CopyHub& hub, Tick latency) : hub_(hub), latency_(latency) {}

  /// Returns the packet that asks for the data of a burst of `copy`. The caller sets its source and destination.
  static Packet* packet(const CopyCommand& copy, const Burst& burst, PacketPool& pool);
  static Request request_of(const Packet& read);

  /// Returns the copy that answers a read over `path`, without its number.
  static CopyCommand answer_to(const Packet& read, CopyPath path);
  /// Returns the time from which the data of a read that has arrived at `now` may leave.
  Tick ready(Tick now) const { return now + latency_; }
  /// Names the copy and lane of the read in a packet of the answer.
  static void mark(Packet& data, const Request& request);

  /// Returns the number of the copy that reads, of a packet of the answer.
  static std::uint32_t reader_of(const Packet& data);
  /// Reports the arrival of an answer to the engine of the copy that reads.
  static void arrived(const Packet& data, BurstSource& reader, Tick now);

 private:
  // BurstSource, of answers
  void room(std::uint32_t, unsigned, Tick) override {}
  void left(std::uint32_t copy, unsigned, Tick) override { hub_.close(copy); }

  CopyHub& hub_;
  Tick latency_;
};

}  // namespace tributary
