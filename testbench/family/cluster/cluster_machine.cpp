#include "testbench/family/cluster/cluster_machine.h"

#include <cmath>
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

/// Returns a text that is equal for jobs that run alike.
std::string kind_of(const JobSpec& job, const collective::GroupShape& shape, const ClusterModel& model) {
  int on_board = 0, crossings = 0;
  for (std::size_t g = 0; g < shape.local.size(); ++g) {
    const auto board = [&](std::size_t place) {
      return model.server.board.at(static_cast<std::size_t>(shape.local[place]));
    };
    on_board += board(g), crossings += board(g) != board((g + 1) % shape.local.size());
  }
  std::string kind = job.collective + " " + job.algorithm;
  for (const std::string& value : {std::to_string(job.root), std::to_string(job.start.value), std::to_string(shape.servers),
                                   std::to_string(shape.ranks_each), std::to_string(shape.server_stride),
                                   std::to_string(on_board), std::to_string(crossings)})
    kind += " " + value;
  for (const WorkItem& item : job.items) kind += "," + std::to_string(item.size.value);
  return kind;
}

}  // namespace

ClusterMachine::ClusterMachine(const RunSpec& spec, const RunParameters& params)
    : model_(cluster_model(spec.platform, params)),
      most_memory_(static_cast<double>(params.of<ClusterParams>().flows_memory.value)),
      patience_(static_cast<double>(params.watchdog.patience.value)) {
  group_jobs(spec);
  check_shared(spec);
  add_flows(spec);
}

void ClusterMachine::group_jobs(const RunSpec& spec) {
  std::map<std::string, std::size_t> part_named;
  for (std::size_t j = 0; j < spec.jobs.size(); ++j) {
    const JobSpec& job = spec.jobs[j];
    const auto shape = collective::shape_of(job.ranks, model_.server.gpus);
    if (!shape)
      throw SetupError(spec.platform.name() +
                       ": flows have equal GPUs of servers at equal distances, one server after another " +
                       "(legal: --ranks of such GPUs, or --gpus of whole servers)");
    const auto [part, fresh] = part_named.emplace(kind_of(job, *shape, model_), parts_.size());
    if (fresh) parts_.emplace_back();
    parts_[part->second].jobs.push_back(j);
    parts_[part->second].groups.push_back(*shape);
    part_of_.push_back(part->second);
    part_of_rank_[job.ranks.front()] = part->second;
  }
}

void ClusterMachine::add_flows(const RunSpec& spec) {
  for (Part& part : parts_) {
    const JobSpec& job = spec.jobs[part.jobs.front()];
    part.first_link = static_cast<std::uint32_t>(classes_.size());
    part.first_lane = ClusterFlows::lanes * static_cast<std::uint32_t>(part.jobs.front());
    try {
      part.flows = std::make_unique<ClusterFlows>(model_, job.collective, job.algorithm, part.groups);
    } catch (const std::exception& error) {
      throw SetupError(spec.platform.name() + ": " + error.what());
    }
    const std::string owner = parts_.size() > 1 ? "job" + std::to_string(part.jobs.front()) + "." : "";
    for (const ClusterLink& link : part.flows->links())
      classes_.push_back({owner + link.name, link.rate, static_cast<std::uint64_t>(std::llround(link.count))});
  }
}

/// Refuses unlike jobs that share a NIC, or the links between the boards of a server.
void ClusterMachine::check_shared(const RunSpec& spec) const {
  std::map<std::pair<int, int>, std::size_t> job_of;  // by server and NIC
  for (std::size_t j = 0; parts_.size() > 1 && j < spec.jobs.size(); ++j)
    for (const int gpu : spec.jobs[j].ranks) {
      const int server = gpu / model_.server.gpus, local = gpu % model_.server.gpus;
      const int shared = model_.server.trunks > 0 ? 0 : model_.server.nic_of[static_cast<std::size_t>(local)];
      const auto [known, added] = job_of.emplace(std::pair(server, shared), j);
      if (!added && part_of_[known->second] != part_of_[j])
        throw SetupError("jobs " + std::to_string(known->second) + " and " + std::to_string(j) + " share links of server " +
                         std::to_string(server) +
                         ", which flows of clusters do not divide (legal: equal jobs, or jobs on other " +
                         (model_.server.trunks > 0 ? "servers)" : "NICs)"));
    }
}

void ClusterMachine::check(const JobSpec& job) const {
  constexpr double activities_per_second = 500'000;
  for (const WorkItem& item : job.items) {
    const std::string less =
        part(job).flows->has_chunks(item.size.value) ? "(legal: a larger cluster.chunk, or a larger " : "(legal: a larger ";
    const std::string flows = "--mode fluid: flows of " + to_string(item.size) + " by " + job.algorithm;
    if (const double needed = memory(job, item.size); needed > most_memory_)
      throw SetupError(flows + " need about " + to_string(bytes(static_cast<std::uint64_t>(needed))) + " " + less +
                       "cluster.flows_memory)");
    if (const double s = part(job).flows->activities(item.size.value) / activities_per_second; s * 1e12 > patience_)
      throw SetupError(flows + " take about " + std::to_string(std::llround(s)) + " s " + less + "watchdog.patience)");
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
