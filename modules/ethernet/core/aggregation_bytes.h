#pragma once
/// Bytes of the aggregation header (docs/systems/netreduce.md#formats): InetTag 32 bits, RingID 16, Rank 16, MsgID 32,
/// MsgLen 16, flags 16 (0), in network byte order.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "modules/ethernet/core/network_order.h"
#include "modules/ethernet/core/verbs.h"

namespace tributary {

/// Writes the header into the first 16 B of a message.
inline void store_aggregation_header(const AggregationHeader& header, std::byte* message) {
  NetworkOrderWriter out(reinterpret_cast<std::uint8_t*>(message));
  out.put<4>(AggregationHeader::tag).put<2>(header.ring).put<2>(header.rank);
  out.put<4>(header.message).put<2>(header.message_packets).put<2>(0);
}

/// Returns the header of a payload of `bytes` bytes; empty if the payload does not begin with the tag. Data of a message
/// without header that begin with the same four bytes are mistaken for one.
inline std::optional<AggregationHeader> load_aggregation_header(const std::byte* payload, std::size_t bytes) {
  if (payload == nullptr || bytes < AggregationHeader::bytes) return std::nullopt;
  NetworkOrderReader in(reinterpret_cast<const std::uint8_t*>(payload));
  if (in.take32() != AggregationHeader::tag) return std::nullopt;
  AggregationHeader header;
  header.ring = in.take16();
  header.rank = in.take16();
  header.message = in.take32();
  header.message_packets = in.take16();
  return header;
}

}  // namespace tributary
