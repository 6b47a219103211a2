#pragma once
/// TaskProgram: the part of a task graph (a training step) that one device executes. Dependencies are local; devices
/// interact by packets only.

#include <cstdint>
#include <string>
#include <vector>

#include "modules/base/units.h"

namespace tributary {

/// SMs of a GPU (V100), shared by compute tasks and communication software.
inline constexpr unsigned all_multiprocessors = 80;

struct DeviceTask {
  enum class Kind : std::uint8_t {
    compute,    ///< occupies the compute engine
    operation,  ///< communication: occupies its queue; executed by the device's communication engine
    mark,       ///< occupies nothing
    network     ///< work of the NIC of the device: GpuProgram::network
  };
  Kind kind = Kind::compute;
  std::uint32_t queue = 0;  ///< compute queue or communication queue; its tasks begin in order
  Tick time = 0;            ///< compute: duration at full rate; mark: delay after its dependencies; operation: launch time
  std::uint32_t operation = 0;           ///< index among the operations, or the work for the NIC, of the device's program
  unsigned multiprocessors = 0;          ///< operation, network: SMs that it uses while active
  std::uint32_t waits = 0;               ///< number of tasks on this device that must end first
  std::vector<std::uint32_t> next = {};  ///< tasks that depend on this one
};

/// Posted as a whole, before its time begins.
struct TaskProgram {
  std::vector<DeviceTask> tasks;
  /// an operation begins once its predecessor in the queue has issued all packets, instead of when that ends
  bool pipelined = false;
};

}  // namespace tributary
