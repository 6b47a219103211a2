#include "testbench/run/machine_driver.h"

#include "platforms/catalog.h"
#include "testbench/family/nvswitch/gpu_driver.h"
#include "testbench/family/schedule_nic/nic_driver.h"

namespace tributary {

std::unique_ptr<MachineDriver> make_driver(const RunSpec& spec, const PlatformParams& params, Completion& completion) {
  if (is_network(spec.platform)) return std::make_unique<NicDriver>(spec, params, completion);
  return std::make_unique<GpuDriver>(spec, params, completion);
}

}  // namespace tributary
