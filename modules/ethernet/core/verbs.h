#pragma once
/// Interface between a host and its RDMA NIC (the verbs of InfiniBand, as far as collectives need them).

#include <cstdint>
#include <string>

#include "modules/base/units.h"

namespace tributary {

/// Aggregation header of NetReduce at the beginning of a message: 16 B including its tag
/// (docs/systems/netreduce.md#formats).
struct AggregationHeader {
  static constexpr unsigned bytes = 16;
  static constexpr std::uint32_t tag = 0x494E4554;  ///< "INET"
  std::uint16_t ring = 0, rank = 0;
  std::uint32_t message = 0;          ///< MsgID
  std::uint16_t message_packets = 0;  ///< MsgLen
};

/// RDMA WRITE from local memory to the memory of the other end, in packets of the MTU.
struct WriteRequest {
  std::uint64_t id = 0;          ///< identifies the request on completion
  std::uint64_t local = 0;       ///< address of the data
  std::uint64_t remote = 0;      ///< destination address
  std::uint32_t bytes = 0;       ///< everything that is sent: aggregation header, data and padding
  std::uint32_t data_bytes = 0;  ///< data bytes at `local`; the remaining bytes are sent as zeros
  bool immediate_valid = false;  ///< the other end is notified when the WRITE is complete
  std::uint32_t immediate = 0;
  bool tagged = false;  ///< begins with `header`, before the data
  AggregationHeader header{};
  bool signalled = true;  ///< requests an ACK with its last packet, and its completion is reported
};

/// Events that a NIC reports to the agent of its host.
class VerbsListener {
 public:
  virtual ~VerbsListener() = default;
  /// The request was acknowledged at `when`; its data are not read again.
  virtual void completed(unsigned queue_pair, std::uint64_t id, Tick when) = 0;
  /// A WRITE with immediate data has been received completely, and is visible in memory at `when`.
  virtual void arrived(unsigned queue_pair, std::uint32_t immediate, Tick when) = 0;
  /// The queue pair has given up, because no acknowledgement arrived after all retries. `why` names the queue pair, the host
  /// at its other end, and what is not acknowledged.
  virtual void failed(unsigned queue_pair, Tick when, const std::string& why) = 0;
};

/// Interface of a host's agent to its NIC. Requests of a queue pair are processed in order.
class Verbs {
 public:
  virtual ~Verbs() = default;
  /// Posts a WRITE at `when`. Its first bit leaves at the earliest one transmit latency of the NIC later.
  virtual void post_write(unsigned queue_pair, const WriteRequest& request, Tick when) = 0;
  /// Number of signalled requests that have not been completed.
  virtual unsigned outstanding(unsigned queue_pair) const = 0;
};

}  // namespace tributary
