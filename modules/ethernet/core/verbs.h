#pragma once
/// What a host asks of its RDMA NIC, and hears of it (the verbs of InfiniBand, as far as collectives need them).

#include <cstdint>
#include <string>

#include "modules/base/units.h"

namespace tributary {

/// Aggregation header of NetReduce, at the begin of a message: 16 B with its tag (docs/systems/netreduce.md#formats).
struct AggregationHeader {
  static constexpr unsigned bytes = 16;
  static constexpr std::uint32_t tag = 0x494E4554;  ///< "INET"
  std::uint16_t ring = 0, rank = 0;
  std::uint32_t message = 0;          ///< MsgID
  std::uint16_t message_packets = 0;  ///< MsgLen
};

/// RDMA WRITE: local memory to memory of the other end, in packets of the MTU.
struct WriteRequest {
  std::uint64_t id = 0;          ///< the completion names it
  std::uint64_t local = 0;       ///< address of the data
  std::uint64_t remote = 0;      ///< where they go
  std::uint32_t bytes = 0;       ///< all that is sent: aggregation header, data and padding
  std::uint32_t data_bytes = 0;  ///< at `local`; what is beyond them is sent as zeros
  bool immediate_valid = false;  ///< the other end hears of it when it is whole
  std::uint32_t immediate = 0;
  bool tagged = false;  ///< begins with `header`, in front of the data
  AggregationHeader header{};
};

/// What a NIC tells the engine of its host.
class VerbsListener {
 public:
  virtual ~VerbsListener() = default;
  /// The request has been acknowledged, at `when`; its data are not read again.
  virtual void completed(unsigned queue_pair, std::uint64_t id, Tick when) = 0;
  /// A WRITE with immediate data has been received whole, and is visible in memory at `when`.
  virtual void arrived(unsigned queue_pair, std::uint32_t immediate, Tick when) = 0;
  /// The queue pair has given up: no acknowledgement after all retries. `why` names it, the host at its other end, and what
  /// is not acknowledged.
  virtual void failed(unsigned queue_pair, Tick when, const std::string& why) = 0;
};

/// A NIC as an engine sees it. Requests of a queue pair are carried out in their order.
class Verbs {
 public:
  virtual ~Verbs() = default;
  /// Posted at `when`; its first bit leaves at the soonest the NIC's transmit latency later.
  virtual void post_write(unsigned queue_pair, const WriteRequest& request, Tick when) = 0;
  /// Requests that have not been completed.
  virtual unsigned outstanding(unsigned queue_pair) const = 0;
};

}  // namespace tributary
