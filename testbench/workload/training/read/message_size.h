#pragma once
/// Sizes of collectives in files of ASTRA-sim and Chakra.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace tributary::training {

/// Bytes of the message of a collective among so many ranks. There an all-gather counts what each rank gives
/// (astra-sim/astra-sim, astra-sim/system/collective/Ring.cc), here all of it; the others count alike. None: it does not fit
/// in 64 bits.
std::optional<std::uint64_t> message_size(const std::string& name, std::uint64_t bytes, std::size_t ranks);

}  // namespace tributary::training
