#include "testbench/family/cluster/flows/cluster_flows.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "testbench/family/cluster/flows/stage_flows.h"

namespace tributary {
namespace {

using collective::ActivityGraph;
using collective::BetweenMethod;
using collective::InsideMethod;
using collective::Stage;
using collective::StagedSchedule;
using collective::StageWork;

constexpr double activity_bytes = 96, use_bytes = 16, wait_bytes = 24;
constexpr std::size_t rail_uses = 4;

TreeClasses classes_of(const collective::StagedMethod& method, const collective::GroupShape& shape) {
  if (method.between == BetweenMethod::tree && shape.servers > 1) return tree_classes(shape.servers);
  return {{shape.servers}, {}, 0};
}

void check(const ClusterModel& model, const collective::StagedMethod& method, const collective::GroupShape& shape) {
  if (!has_flows(method)) throw std::invalid_argument(method.collective + " by " + method.name + " has no flows");
  if (method.inside == InsideMethod::pull && shape.ranks_each > 1 && !model.server.adds)
    throw std::invalid_argument("the switches of " + model.server.name +
                                " do not add (legal: methods that begin with ring, or cluster.adds=yes)");
}

}  // namespace

bool has_flows(const collective::StagedMethod& method) {
  const StageWork work = collective::work_of({Stage::Where::all, method.collective, method.name});
  return work != StageWork::broadcast && work != StageWork::alltoall;
}

ClusterFlows::ClusterFlows(const ClusterModel& model, const std::string& collective, const std::string& method,
                           const collective::GroupShape& shape)
    : model_(model),
      collective_(collective),
      method_(collective::staged_method(collective, method)),
      trees_(classes_of(method_, shape)),
      links_(model, group_of(model, shape), trees_.servers) {
  check(model, method_, shape);
}

/// A single stage moves the whole message; trees are pipelines.
StagedSchedule ClusterFlows::schedule(std::uint64_t bytes) const {
  StagedSchedule s = collective::staged(collective_, method_.name, links_.group().shape, bytes, 0);
  const bool pipeline = s.stages.size() > 1 || method_.between == BetweenMethod::tree;
  if (!pipeline || s.shape.servers == 1)
    s.chunk = std::max<std::uint64_t>(1, bytes);
  else if (model_.chunk > 0)
    s.chunk = std::min(model_.chunk, std::max<std::uint64_t>(1, bytes));
  return s;
}

double ClusterFlows::bound_GBps(std::uint64_t bytes) const {
  ActivityGraph graph;
  for (const ClusterLink& link : links()) graph.add_link(link.rate, link.count);
  StagedSchedule whole = schedule(bytes);
  whole.chunk = std::max<std::uint64_t>(1, bytes);
  add_stages(whole, bytes, 0, graph, 0, 0);
  const std::vector<double> crossed = graph.link_bytes();
  double longest = 0;
  for (std::size_t l = 0; l < crossed.size(); ++l) longest = std::max(longest, crossed[l] / links()[l].rate);
  return longest > 0 ? static_cast<double>(bytes) / longest / 1e9 : 0;
}

double ClusterFlows::memory(std::uint64_t bytes) const {
  const StagedSchedule s = schedule(bytes);
  const double chunks = std::ceil(static_cast<double>(bytes) / static_cast<double>(s.chunk));
  double activities = 0;
  for (const Stage& stage : s.stages) {
    const double passes = collective::work_of(stage) == StageWork::allreduce ? 2 : 1;
    if (stage.where == Stage::Where::all)
      activities += passes * (s.shape.ranks() - 1) * s.shape.ranks_each;
    else if (stage.where == Stage::Where::inside)
      activities += method_.inside == InsideMethod::pull ? 1 : passes * (s.shape.ranks_each - 1);
    else if (method_.between == BetweenMethod::tree)
      activities += 2.0 * static_cast<double>(trees_.edges.size());
    else
      activities += method_.between == BetweenMethod::netreduce ? 1 : passes * (s.shape.servers - 1);
  }
  const double waits = method_.between == BetweenMethod::tree ? static_cast<double>(trees_.edges.size()) / 4 : 2;
  return chunks * activities * (activity_bytes + rail_uses * use_bytes + std::max(2.0, waits) * wait_bytes);
}

void ClusterFlows::add(std::uint64_t bytes, double start, ActivityGraph& graph, std::uint32_t first_link,
                       std::uint32_t first_lane) const {
  const StagedSchedule s = schedule(bytes);
  collective::verify(s);
  add_stages(s, bytes, start, graph, first_link, first_lane);
}

/// A chunk enters a stage when it has left the one before, and when the stage has room.
void ClusterFlows::add_stages(const StagedSchedule& schedule, std::uint64_t bytes, double start, ActivityGraph& graph,
                              std::uint32_t first_link, std::uint32_t first_lane) const {
  StageFlows flows(model_, links_, trees_, method_, graph, first_link, first_lane);
  std::vector<std::vector<StageFlows::Ids>> ends(schedule.stages.size());  // by stage and chunk
  for (std::uint64_t at = 0; at < bytes; at += schedule.chunk) {
    const auto chunk = static_cast<double>(std::min(schedule.chunk, bytes - at));
    StageFlows::Ids earlier;
    for (std::size_t stage = 0; stage < schedule.stages.size(); ++stage) {
      const unsigned room = flows.at_once(schedule.stages[stage], static_cast<double>(schedule.chunk));
      std::vector<StageFlows::Ids>& before = ends[stage];
      if (before.size() >= room) {
        const StageFlows::Ids& left = before[before.size() - room];
        earlier.insert(earlier.end(), left.begin(), left.end());
      }
      earlier = flows.add(schedule.stages[stage], chunk, earlier, start);
      before.push_back(earlier);
    }
  }
}

}  // namespace tributary
