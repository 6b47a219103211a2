#pragma once
/// HostProgram: the work of one endpoint of a NetReducePlatform for one collective.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "modules/base/element.h"
#include "modules/netreduce/core/flow_control_core.h"
#include "modules/tasks/task_program.h"
#include "platforms/hosts/host_commands.h"

namespace tributary {

/// Work of a parameter server. Slice i of worker w arrives in buffer (w, i mod `buffers`); a worker sends slice i when all
/// workers have received the sum of slice i - `buffers`.
struct ServerPlan {
  struct Worker {
    unsigned pair = 0;       ///< queue pair to the worker
    std::uint64_t base = 0;  ///< start of the worker's memory in the memory of its host
  };
  struct Slice {
    std::uint64_t address = 0;  ///< in the memory of each worker
    std::uint32_t bytes = 0;
    std::uint16_t command = 0;  ///< command of each worker that waits for the sum
  };
  std::vector<Worker> workers;  ///< by rank
  std::vector<Slice> slices;
  unsigned buffers = 4;
  std::uint64_t buffer_bytes = 0;
  ElementType type = ElementType::f32;
  ReduceOp op = ReduceOp::sum;

  std::uint64_t buffer(std::size_t worker, std::size_t slice) const {
    return (worker * buffers + slice % buffers) * buffer_bytes;
  }
  std::uint64_t memory_bytes() const { return workers.size() * buffers * buffer_bytes; }
};

/// A training step: tasks, of which operations are carried out one at a time.
struct HostStep {
  /// Either commands, or messages of a ring that earlier operations of the same group have used.
  struct Operation {
    HostCommands commands;
    std::optional<RingPlan> ring = {};
  };
  TaskProgram tasks;
  std::vector<Operation> operations;  ///< by number on this host
};

/// The stages of an endpoint, in order. Each agent class says which stages it carries out; the others must be empty.
struct HostProgram {
  HostCommands before;
  std::vector<RingPlan> rings = {};  ///< begin when all of `before` has ended
  HostCommands after = {};           ///< begins when all results of the rings are in memory
  std::optional<ServerPlan> server = {};
  std::optional<HostStep> step = {};
};

}  // namespace tributary
