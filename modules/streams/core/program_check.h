#pragma once
/// check_program: the check of a StreamProgram before its GPU starts it.

#include <cstdint>
#include <functional>

#include "modules/streams/core/stream_program.h"

namespace tributary {

/// The resources of a GPU that a program may use.
struct ProgramLimits {
  std::uint16_t gpu = 0;
  std::uint64_t memory = 0;  ///< bytes; 0: addresses are not checked
  std::function<bool(std::uint16_t peer, CopyPath path)> reaches;
};

/// Throws std::invalid_argument, in one line, for a peer without a path, addresses outside the memory, semaphores that the
/// program does not have, sums of partial elements, and kernels without inputs or with too many.
void check_program(const StreamProgram& program, const ProgramLimits& limits);

}  // namespace tributary
