#pragma once
/// Devices that do not run ahead of the kernel's time (docs/timing.md#devices-in-kernel-time).

#include <string>
#include <typeinfo>
#include <unordered_map>
#include <vector>

namespace sc_core {
class sc_object;
}

namespace tributary {

class KernelTimePart;

struct DeviceInKernelTime {
  std::string device;              ///< name within the platform
  std::vector<std::string> parts;  ///< parts that need it, by their names within the device; empty: the user's choice
};

/// Finds the modules that need kernel time. A machine has thousands of objects of a few types, and a failed search for the
/// facet needs hundreds of instructions, so the types without it are kept.
class KernelTimeSearch {
 public:
  struct Parts {
    std::vector<std::string> names;  ///< within the device
    bool wait_in_calls = false;      ///< one of them does
  };
  /// Returns the modules below `device`. Blocks that a shadow compares decide nothing, and do not count.
  Parts parts_of(const sc_core::sc_object& device);

 private:
  void find(const sc_core::sc_object& object, std::size_t prefix, Parts& parts);
  /// Returns null if the object has no facet.
  const KernelTimePart* facet_of(const sc_core::sc_object& object);

  std::unordered_map<const std::type_info*, bool> has_facet_;
};

}  // namespace tributary
