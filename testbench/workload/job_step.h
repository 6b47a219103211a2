#pragma once
/// A step of a job: collectives of its ranks on parts of one buffer, begun by tasks of the endpoints themselves.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "modules/tasks/task_program.h"

namespace tributary {

struct JobStep {
  /// One collective, and the bytes of the buffer that its ranks have for it; begins at a whole block of 128 B. Operations
  /// with a rank in common lie apart.
  struct Part {
    std::uint64_t first = 0;
    std::uint64_t bytes = 0;         ///< message size, as nccl-tests counts it
    std::uint64_t buffer_bytes = 0;  ///< from `first` on
    std::uint32_t stream = 0;        ///< of communication; below `streams`
    std::string collective, algorithm;
    int root = 0;              ///< among the members
    std::vector<int> members;  ///< ranks of the job: rank i of the collective is members[i]
    bool send = false;         ///< a broadcast between two ranks; the second takes no stream for it
  };
  /// A rank's operations are numbered by their order here, those of others left out. Parts of one group lie together.
  std::vector<Part> operations;
  std::vector<TaskProgram> programs;  ///< by rank
  std::uint32_t streams = 1;          ///< whose operations may be in flight at once
  Tick busy = 0;                      ///< of a rank at most, if all its tasks but operations ran one after another

  /// Of the buffer.
  std::uint64_t bytes() const {
    std::uint64_t end = 0;
    for (const Part& part : operations) end = std::max(end, part.first + part.buffer_bytes);
    return end;
  }
};

}  // namespace tributary
