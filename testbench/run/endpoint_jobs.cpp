#include "testbench/run/endpoint_jobs.h"

namespace tributary {

EndpointJobs::EndpointJobs(const RunSpec& spec) {
  for (std::size_t j = 0; j < spec.jobs.size(); ++j)
    for (const int rank : spec.jobs[j].ranks) {
      const auto endpoint = static_cast<std::size_t>(rank);
      if (endpoint >= jobs_.size()) jobs_.resize(endpoint + 1);
      jobs_[endpoint] = static_cast<std::uint32_t>(j);
    }
}

}  // namespace tributary
