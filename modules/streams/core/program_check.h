#pragma once
/// What a GPU refuses of a StreamProgram before it begins.

#include <cstdint>
#include <functional>

#include "modules/streams/core/stream_program.h"

namespace tributary {

/// What the GPU has that the program asks for.
struct ProgramLimits {
  std::uint16_t gpu = 0;
  std::uint64_t memory = 0;  ///< bytes; 0: not looked at
  std::function<bool(std::uint16_t peer, CopyPath path)> reaches;
};

/// Throws std::invalid_argument, one line: no way to a peer, addresses beyond the memory, semaphores that the program does
/// not have, sums that are no whole elements, kernels without inputs or with too many.
void check_program(const StreamProgram& program, const ProgramLimits& limits);

}  // namespace tributary
