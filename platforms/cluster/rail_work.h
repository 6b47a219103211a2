#pragma once
/// RailWork: a task of kind `network` of a GPU: work that crosses its NIC.

#include <cstdint>

#include "modules/ethernet/core/verbs.h"
#include "modules/gpu/core/gpu_program.h"
#include "modules/netreduce/core/flow_control_core.h"
#include "platforms/hosts/host_commands.h"

namespace tributary {

/// Queue pairs are those of the NIC, addresses those of the GPU's memory.
struct RailWork : NetworkWork {
  enum class Kind : std::uint8_t {
    write,    ///< a WRITE; over when it is acknowledged
    wait,     ///< over when a WRITE with the immediate `write.immediate` has arrived at `pair`
    ring,     ///< messages of a ring of NetReduce; over when all results are in memory
    commands  ///< a software schedule; over when all its commands have ended
  };
  Kind kind = Kind::write;
  std::uint32_t pair = 0;      ///< write, wait
  WriteRequest write = {};     ///< write, wait; its `id` is the number of the task
  RingPlan ring = {};          ///< plans of a ring begin in order of their tasks; a plan may begin before earlier ones end
  HostCommands commands = {};  ///< its `number` is unique among the tasks of a program
};

}  // namespace tributary
