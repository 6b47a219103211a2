#pragma once
/// Chunker: cuts a tensor into messages of equal length (Liu et al., 3.1; docs/systems/netreduce.md#formats).

#include <algorithm>
#include <cstdint>

#include "modules/ethernet/core/verbs.h"

namespace tributary {

/// A message has `message_packets` packets of `mtu` bytes. Its first 16 B are the aggregation header, and the rest is
/// tensor. The last message is padded with zeros.
class Chunker {
 public:
  struct Slice {
    std::uint64_t offset = 0;  ///< in the tensor
    std::uint32_t bytes = 0;   ///< bytes of the tensor; the rest of the message is zeros
  };

  Chunker(std::uint64_t tensor_bytes, unsigned message_packets, unsigned mtu)
      : tensor_(tensor_bytes),
        message_(message_packets * mtu),
        messages_(static_cast<std::uint32_t>((tensor_bytes + slice_bytes() - 1) / slice_bytes())) {}

  std::uint32_t messages() const { return messages_; }
  /// Bytes of each message, including header and padding.
  std::uint32_t message_bytes() const { return message_; }
  /// Bytes of the tensor in a full message.
  std::uint32_t slice_bytes() const { return message_ - AggregationHeader::bytes; }
  Slice slice(std::uint32_t message) const {
    const std::uint64_t offset = std::uint64_t{message} * slice_bytes();
    return {offset, static_cast<std::uint32_t>(std::min<std::uint64_t>(slice_bytes(), tensor_ - offset))};
  }

 private:
  std::uint64_t tensor_;
  std::uint32_t message_, messages_;
};

}  // namespace tributary
