#include "testbench/family/netreduce/check_algorithms.h"

#include <algorithm>
#include <map>
#include <string>

#include "testbench/family/netreduce/algorithms.h"
#include "testbench/family/netreduce/machine_plan.h"
#include "testbench/family/netreduce/server_job.h"
#include "testbench/family/netreduce/step_plan.h"
#include "testbench/run/errors.h"

namespace tributary {
namespace {

void check_shape(const JobSpec& job, const NetReducePlatformParams& params, const topology::Racks& machine) {
  const HostShape shape = host_shape(job, machine.gpus);
  const NetReduceAlgorithm& algorithm = netreduce_algorithm(job);
  const bool by_host = algorithm.places == RankPlaces::by_host || algorithm.places == RankPlaces::by_halves;
  if (by_host && !shape.even)
    throw SetupError(job.algorithm +
                     " needs ranks ordered by host; legal: equal numbers of GPUs on each host, one host after another");
  if (algorithm.places == RankPlaces::by_halves && (shape.gpus & (shape.gpus - 1)) != 0)
    throw SetupError(job.algorithm + " with " + std::to_string(shape.gpus) + " GPUs on each host; legal: 1, 2, 4, 8 or 16");
  if (algorithm.places == RankPlaces::one_of_a_host && (!shape.even || shape.gpus != 1))
    throw SetupError(job.algorithm + " with several GPUs on one host; legal: one rank on each host, or parallel_netreduce");
  if (algorithm.on_ring != RingCollective::allreduce && params.flow_control.messages.message_packets < 2)
    throw SetupError("netreduce.flow_control.message_packets=1 leaves no packet for the data of a " + job.collective +
                     "; legal: at least 2, as the first packet of a message has its header alone");
  if (algorithm.accelerated && shape.hosts.size() < 2)
    throw SetupError(job.algorithm + " on one host; legal: a ring of at least 2");
}

void check_servers(const RunSpec& spec, const NetReducePlatformParams& params, const topology::Racks& machine) {
  const int servers = static_cast<int>(params.parameter_server.servers), first = machine.all_hosts() - servers;
  const auto serves = [](const JobSpec& job) { return netreduce_algorithm(job).role == HostRole::server; };
  const auto jobs = std::count_if(spec.jobs.begin(), spec.jobs.end(), serves);
  if (jobs == 0) return;
  if (jobs > 1) throw SetupError(std::to_string(jobs) + " concurrent jobs by parameter_server; legal: one");
  for (const JobSpec& job : spec.jobs)
    for (const int end : job.ranks)
      if (end / machine.gpus >= first)
        throw SetupError("parameter_server has " + std::to_string(servers) + " of the " +
                         std::to_string(machine.all_hosts()) + " hosts of " + spec.platform.name() +
                         " as servers, the last, and endpoint " + std::to_string(end) +
                         " is a rank there; legal: ranks on hosts before (--gpus " +
                         std::to_string(std::max(0, first * machine.gpus)) + " at most)");
}

/// Switches redirect frames to accelerators by pairs of hosts, and an accelerator has no place for frames that are no
/// messages of a ring.
void check_shared_hosts(const RunSpec& spec, const NetReducePlatformParams& params, const topology::Racks& machine) {
  if (params.access == AccessMatch::queue_pairs) return;
  std::map<int, std::size_t> job_of;  // by host
  for (std::size_t j = 0; j < spec.jobs.size(); ++j)
    for (const int end : spec.jobs[j].ranks) {
      const int host = end / machine.gpus;
      const std::size_t other = job_of.emplace(host, j).first->second;
      if (netreduce_algorithm(spec.jobs[other]).accelerated != netreduce_algorithm(spec.jobs[j]).accelerated)
        throw SetupError("jobs " + std::to_string(other) + " and " + std::to_string(j) + " share host" +
                         std::to_string(host) +
                         ", and the accelerator of its rack adds for only one of them; legal: disjoint hosts, or both by "
                         "accelerators, or neither, or netreduce.access=queue_pairs");
    }
}

}  // namespace

void check_algorithms(const RunSpec& spec, const NetReducePlatformParams& params, const topology::Racks& machine) {
  for (const JobSpec& whole : spec.jobs) {
    if (whole.step) check_step(whole, params, machine.gpus);
    for (const JobSpec& job : operations_of(whole)) {
      if (netreduce_algorithm(job).accelerated && machine.accelerators() == 0)
        throw SetupError("platform " + spec.platform.name() + " has no accelerators for " + job.algorithm +
                         "; legal: rack:H, spine_leaf:RxH");
      check_shape(job, params, machine);
    }
  }
  check_shared_hosts(spec, params, machine);
  check_servers(spec, params, machine);
}

}  // namespace tributary
