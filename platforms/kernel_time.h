#pragma once
/// Devices that do not run ahead of the kernel's time (docs/timing.md#devices-in-kernel-time).

#include <string>
#include <vector>

namespace sc_core {
class sc_object;
}

namespace tributary {

struct DeviceInKernelTime {
  std::string device;              ///< name within the platform
  std::vector<std::string> parts;  ///< parts that need it, by their names within the device; empty: the user's choice
};

/// Returns the modules below `device` that need kernel time. Blocks that a shadow compares decide nothing, and do not count.
std::vector<std::string> parts_in_kernel_time(const sc_core::sc_object& device);

}  // namespace tributary
