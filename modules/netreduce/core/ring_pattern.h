#pragma once
/// RingPattern: the ranks that send data in a packet of a ring, and those that receive it
/// (docs/systems/netreduce.md#other-collectives).

#include <algorithm>
#include <cstdint>
#include <optional>

#include "modules/ethernet/core/verbs.h"

namespace tributary {

enum class RingCollective : std::uint8_t {
  allreduce,       ///< every rank sends whole messages and receives their sums
  reduce,          ///< every rank sends, the root receives the sum
  broadcast,       ///< the root sends, the others receive
  reduce_scatter,  ///< every rank sends, the owner of a packet receives the sum
  allgather,       ///< the owner of a packet sends, the others receive
};

/// Except in an all-reduce, each packet is a WRITE of its own. Packet 0 of a message has the aggregation header alone; the
/// other packets are data packets, which are numbered through all messages. In collectives of parts, data packet d belongs
/// to part d modulo the number of ranks, in order; otherwise all belong to the root. A rank that sends no data in a packet
/// sends it empty, and so does the accelerator to a rank that receives none. Messages are numbered from 0.
struct RingPattern {
  RingCollective collective = RingCollective::allreduce;
  unsigned ranks = 1, root = 0;
  unsigned message_packets = 170, mtu = 1024;
  /// Parts of the tensor: the first `longer` of them have `long_bytes`, the others `short_bytes`. In memory part i begins at
  /// the i-th multiple of `pitch`. Without parts, the tensor is one part.
  std::uint64_t long_bytes = 0, short_bytes = 0, pitch = 0;
  unsigned longer = 1;
  std::optional<std::uint64_t> header =
      {};  ///< address of the aggregation header in the tensor's memory; empty: after all parts

  /// A data packet of one rank.
  struct Data {
    unsigned owner = 0;       ///< rank whose part it belongs to
    std::uint64_t place = 0;  ///< address in the tensor
    unsigned bytes = 0;       ///< 0: padding
  };

  bool by_packet() const { return collective != RingCollective::allreduce; }
  bool in_parts() const { return collective == RingCollective::reduce_scatter || collective == RingCollective::allgather; }
  bool adds() const { return collective != RingCollective::broadcast && collective != RingCollective::allgather; }
  /// Number of messages; not for an all-reduce.
  std::uint32_t messages() const {
    const std::uint64_t data = parts() * ((long_bytes + mtu - 1) / mtu), each = message_packets - 1;
    return static_cast<std::uint32_t>((data + each - 1) / each);
  }
  /// `offset`: of the packet in its message, above 0.
  Data data(std::uint32_t message, std::uint32_t offset) const {
    const std::uint64_t number = std::uint64_t{message} * (message_packets - 1) + offset - 1, index = number / parts();
    const auto part = static_cast<unsigned>(number % parts());
    const std::uint64_t before = index * mtu, all = part < longer ? long_bytes : short_bytes;
    Data d{in_parts() ? part : root, 0, 0};
    if (before >= all) return d;
    d.place = part * pitch + before;
    d.bytes = static_cast<unsigned>(std::min<std::uint64_t>(mtu, all - before));
    return d;
  }
  /// Address of the aggregation header in the tensor's memory.
  std::uint64_t header_place() const { return header.value_or(parts() * pitch); }
  /// Bytes of the tensor's memory with the aggregation header.
  std::uint64_t memory_bytes() const { return header_place() + AggregationHeader::bytes; }

  bool sends(unsigned rank, std::uint32_t message, std::uint32_t offset) const {
    return offset != 0 && (adds() || data(message, offset).owner == rank);
  }
  bool receives(unsigned rank, std::uint32_t message, std::uint32_t offset) const {
    if (offset == 0 || collective == RingCollective::allreduce) return offset != 0;
    return (data(message, offset).owner == rank) == adds();
  }
  /// Returns the payload bytes of the packet for a rank, if the sum has `sum_bytes`.
  unsigned result_bytes(unsigned rank, std::uint32_t message, std::uint32_t offset, unsigned sum_bytes) const {
    if (offset == 0) return AggregationHeader::bytes;
    return receives(rank, message, offset) ? sum_bytes : 0;
  }

 private:
  std::uint64_t parts() const { return in_parts() ? ranks : 1; }
};

}  // namespace tributary
