#pragma once
/// PacketTrail: identifies the data whose packets trails of a timeline follow (docs/perfetto.md).

#include <cstdint>

namespace tributary {

/// The data of one block, chunk or slot, from its senders to its receivers.
struct PacketTrail {
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  std::uint64_t block = none;
  std::uint32_t job = 0;  ///< distinguishes jobs with equal block numbers
};

}  // namespace tributary
