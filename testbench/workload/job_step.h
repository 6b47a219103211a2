#pragma once
/// A step of a job: its collective on parts of one buffer, begun by tasks of the endpoints themselves.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "modules/engine/core/task_program.h"

namespace tributary {

struct JobStep {
  /// Bytes of the buffer that every rank has; begins at a whole block of 128 B.
  struct Part {
    std::uint64_t first = 0, bytes = 0;
    std::uint32_t stream = 0;  ///< of communication; below `streams`
  };
  std::vector<Part> operations;       ///< by number; apart from each other, in the order of addresses
  std::vector<TaskProgram> programs;  ///< by rank
  std::uint32_t streams = 1;          ///< whose operations may be in flight at once
  Tick busy = 0;                      ///< of a rank at most, if all its tasks but operations ran one after another

  std::uint64_t bytes() const { return operations.empty() ? 0 : operations.back().first + operations.back().bytes; }
};

}  // namespace tributary
