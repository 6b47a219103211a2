#include "testbench/workload/job_group.h"

#include <numeric>

#include "testbench/workload/collective.h"

namespace tributary {

std::vector<int> group_of(const JobSpec& job) {
  if (collective_of(job.collective).targeted) {
    std::vector<int> group{job.root};
    for (const int target : job.targets)
      if (target != job.root) group.push_back(target);
    return group;
  }
  std::vector<int> all(job.ranks.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

int root_of_group(const JobSpec& job) { return collective_of(job.collective).targeted ? 0 : job.root; }

std::vector<int> gpus_of(const JobSpec& job, const std::vector<int>& ranks) {
  std::vector<int> gpus;
  for (const int r : ranks) gpus.push_back(job.ranks.at(static_cast<std::size_t>(r)));
  return gpus;
}

}  // namespace tributary
