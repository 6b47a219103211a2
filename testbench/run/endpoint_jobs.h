#pragma once
/// Which job an endpoint has, on platforms where each has one at most (docs/jobs.md).

#include <cstdint>
#include <vector>

#include "testbench/run/run_spec.h"

namespace tributary {

class EndpointJobs {
 public:
  explicit EndpointJobs(const RunSpec& spec);

  /// Its number; 0 for an endpoint of none.
  std::uint32_t of(std::size_t endpoint) const { return endpoint < jobs_.size() ? jobs_[endpoint] : 0; }

 private:
  std::vector<std::uint32_t> jobs_;
};

}  // namespace tributary
