#pragma once
/// A step of a job: collectives of its ranks on ranges of one buffer, started by tasks on the endpoints.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "modules/tasks/task_program.h"

namespace tributary {

struct JobStep {
  /// One collective and its range of the buffer, which begins at a whole block of 128 B. Ranges of operations with a common
  /// rank do not overlap.
  struct Part {
    std::uint64_t first = 0;
    std::uint64_t bytes = 0;         ///< message size, as nccl-tests counts it
    std::uint64_t buffer_bytes = 0;  ///< from `first` on
    std::uint32_t queue = 0;         ///< communication queue; below `queues`
    std::string collective, algorithm;
    int root = 0;                   ///< index among the members
    std::vector<int> members;       ///< ranks of the job: rank i of the collective is members[i]
    bool send = false;              ///< a broadcast between two ranks; the receiver occupies no queue
    std::uint64_t part_stride = 0;  ///< bytes from a slice of the range to the next one; 0: they follow one another
  };
  /// A rank's operations are numbered in this order, skipping operations of other ranks. Ranges of one group are
  /// contiguous.
  std::vector<Part> operations;
  std::vector<TaskProgram> programs;  ///< by rank
  std::uint32_t queues = 1;           ///< communication queues, each with operations in flight independently
  Tick busy = 0;                      ///< largest total time of a rank's tasks without its transfers

  /// Returns the size of the buffer.
  std::uint64_t bytes() const {
    std::uint64_t end = 0;
    for (const Part& part : operations) end = std::max(end, part.first + part.buffer_bytes);
    return end;
  }
};

}  // namespace tributary
