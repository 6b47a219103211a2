#pragma once
/// What one device does of a graph of work (a training step): tasks that wait for each other here. Devices meet through
/// packets alone.

#include <cstdint>
#include <string>
#include <vector>

#include "modules/base/units.h"

namespace tributary {

/// SMs of a GPU (a V100's): what software takes of them, compute tasks lack.
inline constexpr unsigned all_multiprocessors = 80;

struct DeviceTask {
  enum class Kind : std::uint8_t {
    compute,    ///< takes the compute engine
    operation,  ///< communication: takes its stream, and is carried out by the device's engine for it
    mark        ///< takes nothing
  };
  Kind kind = Kind::compute;
  std::uint32_t stream = 0;          ///< of the compute engine, or of communication; tasks of one begin in their order
  Tick time = 0;                     ///< compute: at full rate; mark: after what it waits for; operation: its launch
  std::uint32_t operation = 0;       ///< number among the operations of the device's program
  unsigned multiprocessors = 0;      ///< operation: that it takes while it is active
  std::uint32_t waits = 0;           ///< tasks here that must have ended before
  std::vector<std::uint32_t> next = {};  ///< tasks that wait for this one
};

/// Posted whole, before its time begins.
struct TaskProgram {
  std::vector<DeviceTask> tasks;
  bool pipelined = false;  ///< an operation begins when the one before it on its stream has issued all, not when it is over
};

}  // namespace tributary
