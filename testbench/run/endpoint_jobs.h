#pragma once
/// EndpointJobs: the job of each endpoint, on platforms where an endpoint has at most one (docs/jobs.md).

#include <cstdint>
#include <vector>

#include "testbench/run/run_spec.h"

namespace tributary {

class EndpointJobs {
 public:
  explicit EndpointJobs(const RunSpec& spec);

  /// Returns the number of the endpoint's job; 0 if it has none.
  std::uint32_t of(std::size_t endpoint) const { return endpoint < jobs_.size() ? jobs_[endpoint] : 0; }

 private:
  std::vector<std::uint32_t> jobs_;
};

}  // namespace tributary
