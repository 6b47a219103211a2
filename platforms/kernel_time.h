#pragma once
/// Devices that do not run ahead of the kernel's time (docs/timing.md#devices-in-kernel-time).

#include <string>
#include <vector>

namespace tributary {

struct DeviceInKernelTime {
  std::string device;              ///< name within the platform
  std::vector<std::string> parts;  ///< parts that need it, by their names within the device; empty: the user's choice
};

}  // namespace tributary
