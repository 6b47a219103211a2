#pragma once
/// Message sizes of collectives in files of ASTRA-sim and Chakra.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace tributary::training {

/// Returns the message bytes of a collective among `ranks` ranks. For an all-gather the file counts the data of one rank
/// (astra-sim/astra-sim, astra-sim/system/collective/Ring.cc), Tributary the data of all ranks; other collectives are
/// counted alike. Returns none if the size does not fit in 64 bits.
std::optional<std::uint64_t> message_size(const std::string& name, std::uint64_t bytes, std::size_t ranks);

}  // namespace tributary::training
