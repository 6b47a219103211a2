#include "testbench/family/cluster/cluster_machine.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "testbench/collective/schedule/schedule.h"
#include "testbench/family/cluster/flows/even_groups.h"
#include "testbench/family/cluster/parameters.h"
#include "testbench/run/errors.h"

namespace tributary {
namespace {

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

/// Returns the parameter of the rate of a class of links.
const char* rate_of(const std::string& link) {
  if (contains(link, ".pcie")) return "cluster.pcie.rate";
  return contains(link, "leaf") ? "cluster.nic_rate" : "nvswitch.link.rate";
}

/// Returns the numbers of servers, in order, that follow one another in a rack.
std::string racks_of(const collective::GroupShape& shape, const ClusterModel& model) {
  std::string text;
  int in_rack = 0;
  for (int i = 0; i < shape.servers; ++i) {
    ++in_rack;
    if (i + 1 < shape.servers && model.rack_of(shape.server(i)) == model.rack_of(shape.server(i + 1))) continue;
    text += "/" + std::to_string(in_rack), in_rack = 0;
  }
  return text;
}

/// Returns a text that is equal for jobs that run alike.
std::string kind_of(const JobSpec& job, const collective::GroupShape& shape, const ClusterModel& model) {
  int on_board = 0, crossings = 0;
  std::set<int> nics;
  for (std::size_t g = 0; g < shape.local.size(); ++g) {
    const auto board = [&](std::size_t place) {
      return model.server.board.at(static_cast<std::size_t>(shape.local[place]));
    };
    nics.insert(model.server.nic_of.at(static_cast<std::size_t>(shape.local[g])));
    on_board += board(g), crossings += board(g) != board((g + 1) % shape.local.size());
  }
  std::string kind = job.collective + " " + job.algorithm;
  for (const std::string& value : {std::to_string(job.root), std::to_string(job.start.value), std::to_string(shape.servers),
                                   std::to_string(shape.ranks_each), std::to_string(nics.size()), std::to_string(on_board),
                                   std::to_string(crossings), racks_of(shape, model)})
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
  add_flows(spec);
  share_links();
}

/// Jobs that run alike are groups of one part, if they load links evenly.
void ClusterMachine::group_jobs(const RunSpec& spec) {
  std::vector<Part> alike;
  std::map<std::string, std::size_t> number;
  for (std::size_t j = 0; j < spec.jobs.size(); ++j) {
    const JobSpec& job = spec.jobs[j];
    const auto shape = collective::shape_of(job.ranks, model_.server.gpus);
    if (!shape)
      throw SetupError(spec.platform.name() +
                       ": a group has unlike GPUs of servers, between which flows do not cross (legal: " +
                       collective::legal_groups(model_.server.gpus) + ")");
    const auto [kind, added] = number.emplace(kind_of(job, *shape, model_), alike.size());
    if (added) alike.emplace_back();
    Part& part = alike[kind->second];
    part.jobs.push_back(j), part.groups.push_back(*shape);
  }
  part_of_.resize(spec.jobs.size());
  for (const Part& all : alike) {
    std::vector<std::vector<ClusterLink>> links;
    for (const collective::GroupShape& shape : all.groups)
      links.push_back(flows_of(spec, spec.jobs[all.jobs.front()], {shape})->links());
    for (const std::vector<std::size_t>& set : even_groups(links)) add_part(spec, all, set);
  }
}

void ClusterMachine::add_part(const RunSpec& spec, const Part& all, const std::vector<std::size_t>& set) {
  Part& part = parts_.emplace_back();
  for (const std::size_t g : set) {
    part.jobs.push_back(all.jobs[g]), part.groups.push_back(all.groups[g]);
    part_of_[all.jobs[g]] = parts_.size() - 1;
    part_of_rank_[spec.jobs[all.jobs[g]].ranks.front()] = parts_.size() - 1;
  }
}

std::unique_ptr<ClusterFlows> ClusterMachine::flows_of(const RunSpec& spec, const JobSpec& job,
                                                       const std::vector<collective::GroupShape>& groups) const {
  try {
    return std::make_unique<ClusterFlows>(model_, job.collective, job.algorithm, groups, job.root);
  } catch (const std::exception& error) {
    throw SetupError(spec.platform.name() + ": " + error.what());
  }
}

void ClusterMachine::add_flows(const RunSpec& spec) {
  for (Part& part : parts_) {
    const JobSpec& job = spec.jobs[part.jobs.front()];
    part.flows = flows_of(spec, job, part.groups);
    part.alone = flows_of(spec, job, {part.groups.front()});
  }
}

void ClusterMachine::share_links() {
  std::vector<const std::vector<ClusterLink>*> links;
  for (const Part& part : parts_) links.push_back(&part.flows->links());
  const SharedLinks shared(model_, links);
  for (const ClusterLink& link : shared.links())
    classes_.push_back({link.name, link.rate, static_cast<std::uint64_t>(std::llround(link.count))});
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    parts_[p].links = shared.of(p);
    for (const auto& of_link : parts_[p].links)
      parts_[p].parts_of_link = std::max(parts_[p].parts_of_link, static_cast<double>(of_link.size()));
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

double ClusterMachine::memory(const JobSpec& job, Bytes message) const {
  return part(job).flows->memory(message.value, part(job).parts_of_link);
}

void ClusterMachine::add(const JobSpec& job, Bytes message, double start, collective::ActivityGraph& graph) {
  const std::size_t number = part_of_rank_.at(job.ranks.front());
  const Part& p = parts_[number];
  p.flows->add(message.value, start, graph, p.links, ClusterFlows::lanes * static_cast<std::uint32_t>(number));
}

/// A job has the bound that it has alone.
double ClusterMachine::bound(const JobSpec& job, Bytes message) const { return part(job).alone->bound_GBps(message.value); }

BottleneckRules ClusterMachine::bottlenecks() const {
  BottleneckRules rules;
  std::vector<std::string> parameters;
  for (const FluidClass& link : classes_) parameters.emplace_back(rate_of(link.name));
  rules.link_parameter = [parameters](std::size_t link) { return parameters.at(link); };
  return rules;
}

}  // namespace tributary
