#include "testbench/family/cluster/cluster_machine.h"

#include <algorithm>
#include <map>
#include <utility>

#include "testbench/collective/schedule/schedule.h"
#include "testbench/family/cluster/parameters.h"
#include "testbench/run/errors.h"

namespace tributary {
namespace {

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

/// Returns the parameter of the rate of a class of links; empty for NVLinks, whose rate is that of the server.
const char* rate_of(const std::string& link) {
  if (contains(link, ".pcie")) return "cluster.pcie.rate";
  return contains(link, "leaf") ? "cluster.nic_rate" : "";
}

}  // namespace

ClusterMachine::ClusterMachine(const RunSpec& spec, const RunParameters& params)
    : model_(cluster_model(spec.platform, params)),
      most_memory_(static_cast<double>(params.of<ClusterParams>().flows_memory.value)) {
  check_shared(spec);
  for (std::size_t j = 0; j < spec.jobs.size(); ++j) {
    const JobSpec& job = spec.jobs[j];
    const auto shape = collective::shape_of(job.ranks, model_.server.gpus);
    if (!shape)
      throw SetupError(spec.platform.name() +
                       ": flows have equal GPUs of servers at equal distances, one server after another " +
                       "(legal: --ranks of such GPUs, or --gpus of whole servers)");
    Part part{job.ranks, nullptr, static_cast<std::uint32_t>(classes_.size()),
              ClusterFlows::lanes * static_cast<std::uint32_t>(j)};
    try {
      part.flows = std::make_unique<ClusterFlows>(model_, job.collective, job.algorithm, *shape);
    } catch (const std::exception& error) {
      throw SetupError(spec.platform.name() + ": " + error.what());
    }
    const std::string owner = spec.jobs.size() > 1 ? "job" + std::to_string(j) + "." : "";
    for (const ClusterLink& link : part.flows->links())
      classes_.push_back({owner + link.name, link.rate, static_cast<std::uint64_t>(link.count)});
    parts_.push_back(std::move(part));
  }
}

/// Refuses jobs that share a NIC, or the links between the boards of a server.
void ClusterMachine::check_shared(const RunSpec& spec) const {
  std::map<std::pair<int, int>, std::size_t> job_of;  // by server and NIC
  for (std::size_t j = 0; j < spec.jobs.size(); ++j)
    for (const int gpu : spec.jobs[j].ranks) {
      const int server = gpu / model_.server.gpus, local = gpu % model_.server.gpus;
      const int shared = model_.server.trunks > 0 ? 0 : model_.server.nic_of[static_cast<std::size_t>(local)];
      const auto [known, added] = job_of.emplace(std::pair(server, shared), j);
      if (!added && known->second != j)
        throw SetupError("jobs " + std::to_string(known->second) + " and " + std::to_string(j) + " share links of server " +
                         std::to_string(server) + ", which flows of clusters do not divide (legal: jobs on other " +
                         (model_.server.trunks > 0 ? "servers)" : "NICs)"));
    }
}

const ClusterMachine::Part& ClusterMachine::part(const JobSpec& job) const {
  return *std::find_if(parts_.begin(), parts_.end(), [&](const Part& p) { return p.ranks == job.ranks; });
}

void ClusterMachine::check(const JobSpec& job) const {
  for (const WorkItem& item : job.items) {
    const double needed = memory(job, item.size);
    if (needed > most_memory_)
      throw SetupError("--mode fluid: flows of " + to_string(item.size) + " by " + job.algorithm + " need about " +
                       to_string(bytes(static_cast<std::uint64_t>(needed))) +
                       " (legal: a larger cluster.chunk or cluster.flows_memory)");
  }
}

double ClusterMachine::memory(const JobSpec& job, Bytes message) const { return part(job).flows->memory(message.value); }

void ClusterMachine::add(const JobSpec& job, Bytes message, double start, collective::ActivityGraph& graph) {
  const Part& p = part(job);
  p.flows->add(message.value, start, graph, p.first_link, p.first_lane);
}

double ClusterMachine::bound(const JobSpec& job, Bytes message) const { return part(job).flows->bound_GBps(message.value); }

BottleneckRules ClusterMachine::bottlenecks() const {
  BottleneckRules rules;
  std::vector<std::string> parameters;
  for (const FluidClass& link : classes_) parameters.emplace_back(rate_of(link.name));
  rules.link_parameter = [parameters](std::size_t link) { return parameters.at(link); };
  return rules;
}

}  // namespace tributary
