#pragma once
/// KernelTimeSearch: finds the parts of devices that need kernel time.

#include <string>
#include <vector>

#include "modules/base/sysc/kernel_time.h"
#include "platforms/facet_search.h"

namespace tributary {

/// Finds the modules that need kernel time.
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

  FacetSearch<KernelTimePart> facets_;
};

}  // namespace tributary
