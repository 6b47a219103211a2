#pragma once
/// PacketFlow: whose life in a timeline a packet belongs to (docs/perfetto.md).

#include <cstdint>

namespace tributary {

/// The data of one block, chunk or slot, from their senders to their receivers.
struct PacketFlow {
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  std::uint64_t block = none;
  std::uint32_t job = 0;  ///< tells jobs apart whose numbers of blocks are the same
};

}  // namespace tributary
