#include "testbench/family/cluster/flows/cluster_flows.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include "testbench/collective/algorithm/software.h"
#include "testbench/family/cluster/flows/stage_flows.h"

namespace tributary {
namespace {

using collective::ActivityGraph;
using collective::BetweenAlgorithm;
using collective::GroupShape;
using collective::InsideAlgorithm;
using collective::Stage;
using collective::StagedAlgorithm;
using collective::StagedSchedule;
using collective::StageWork;

constexpr double activity_bytes = 96, use_bytes = 16, wait_bytes = 24;
constexpr std::size_t rail_uses = 4;

StageWork work_of(const std::string& collective) { return collective::work_of({Stage::Where::all, collective, {}}); }

bool crosses_rails(StageWork work) { return work == StageWork::alltoall || work == StageWork::sendrecv; }

TreeClasses trees_of(const StagedAlgorithm& algorithm, const ClusterGroup& group) {
  if (algorithm.between == BetweenAlgorithm::tree && group.shape.servers > 1) return tree_classes(group.rack);
  return {};
}

/// Servers of a chain: the first, the last, those between. GPUs of a broadcast: the root, others of its server, the rest.
LinkClasses classes_of(const StagedAlgorithm& algorithm, const ClusterGroup& group, const TreeClasses& trees, int root) {
  LinkClasses classes{trees.class_of, {}};
  if (work_of(algorithm.collective) != StageWork::broadcast) return classes;
  const GroupShape& shape = group.shape;
  const int first = root / shape.ranks_each, last = (first + shape.servers - 1) % shape.servers;
  for (int i = 0; i < shape.servers; ++i) {
    classes.servers.push_back(i == first ? 0 : i == last ? 1 : 2);
    for (int j = 0; j < shape.ranks_each; ++j) classes.gpus.push_back(shape.rank(i, j) == root ? 0 : i == first ? 1 : 2);
  }
  return classes;
}

/// The first GPU of each server receives what the last one of another server sends, with PXN by the NIC of the first one.
RailPlaces rail_places(const ClusterModel& model, const StagedAlgorithm& algorithm, const GroupShape& shape) {
  if (work_of(algorithm.collective) != StageWork::sendrecv) return {};
  return {model.pxn ? 0 : shape.ranks_each - 1, 0};
}

/// Returns the groups; the servers of a chain begin with that of the root.
ClusterGroup grouped(const ClusterModel& model, const StagedAlgorithm& algorithm, const std::vector<GroupShape>& groups,
                     int root) {
  ClusterGroup group = group_of(model, groups, rail_places(model, algorithm, groups.front()));
  if (work_of(algorithm.collective) == StageWork::broadcast)
    std::rotate(group.rack.begin(), group.rack.begin() + root / group.shape.ranks_each, group.rack.end());
  return group;
}

LinkPlaces places_of(const std::set<int>& numbers) { return {numbers.begin(), numbers.end()}; }

/// Leaves of racks: chains and rings of servers leave a rack for the next one; a chain ends in the last rack.
UsedLeaves leaves_of_racks(const ClusterModel& model, const StagedAlgorithm& algorithm, const ClusterGroup& group,
                           int root) {
  const bool chain = work_of(algorithm.collective) == StageWork::broadcast;
  const int servers = group.shape.servers, first = chain ? root / group.shape.ranks_each : 0;
  std::set<int> up, down;
  for (const GroupShape& shape : group.each)
    for (int hop = 0; hop < (chain ? servers - 1 : servers); ++hop) {
      const int from = model.rack_of(shape.server((first + hop) % servers));
      const int to = model.rack_of(shape.server((first + hop + 1) % servers));
      if (from != to) up.insert(from), down.insert(to);
    }
  return {places_of(up), places_of(down)};
}

/// Leaves of rails: frames from one rail to another cross the spines, which is so without PXN alone.
UsedLeaves leaves_of_rails(const ClusterModel& model, const StagedAlgorithm& algorithm, const ClusterGroup& group) {
  if (model.pxn || !crosses_rails(work_of(algorithm.collective)) || group.rails < 2) return {};
  std::set<int> up, down;
  for (const GroupShape& shape : group.each)
    for (int j = 0; j < shape.ranks_each; ++j) {
      const int nic = model.server.nic_of.at(static_cast<std::size_t>(shape.local[static_cast<std::size_t>(j)]));
      if (group.places.from == RailPlaces::all || group.places.from == j) up.insert(nic);
      if (group.places.to == RailPlaces::all || group.places.to == j) down.insert(nic);
    }
  return up == down && up.size() == 1 ? UsedLeaves{} : UsedLeaves{places_of(up), places_of(down)};
}

UsedLeaves leaves_of(const ClusterModel& model, const StagedAlgorithm& algorithm, const ClusterGroup& group, int root) {
  return model.leaf_is_rack ? leaves_of_racks(model, algorithm, group, root) : leaves_of_rails(model, algorithm, group);
}

void check(const ClusterModel& model, const StagedAlgorithm& algorithm, const GroupShape& shape) {
  if (algorithm.inside == InsideAlgorithm::pull && shape.ranks_each > 1 && !model.server.adds)
    throw std::invalid_argument("the switches of " + model.server.name +
                                " do not add (legal: algorithms that begin with ring, or cluster.adds=yes)");
  if (crosses_rails(work_of(algorithm.collective)) && !model.pxn && !model.joined && shape.ranks_each > 1 &&
      shape.servers > 1)
    throw std::invalid_argument("nothing joins the rails (legal: cluster.pxn=true, or another cluster.fabric than rails)");
}

}  // namespace

ClusterFlows::ClusterFlows(const ClusterModel& model, const std::string& collective, const std::string& algorithm,
                           const std::vector<GroupShape>& groups, int root)
    : model_(model),
      collective_(collective),
      algorithm_(collective::staged_algorithm(collective, algorithm)),
      root_(root),
      group_(grouped(model, algorithm_, groups, root)),
      trees_(trees_of(algorithm_, group_)),
      links_(model, group_, classes_of(algorithm_, group_, trees_, root), leaves_of(model, algorithm_, group_, root)) {
  check(model, algorithm_, group_.shape);
  const std::set<int> racks(group_.rack.begin(), group_.rack.end());
  model_.flow.racks = model.leaf_is_rack ? static_cast<int>(racks.size()) : 1;
}

/// Stages, chains, trees and all-reduces by rings of servers are pipelines of chunks. Otherwise a single stage moves the
/// whole message.
bool ClusterFlows::is_pipeline(const StagedSchedule& s) const {
  if (s.stages.size() > 1 || work_of(collective_) == StageWork::broadcast) return true;
  const bool ring = algorithm_.between == BetweenAlgorithm::ring && work_of(collective_) == StageWork::allreduce;
  return s.stages.front().where == Stage::Where::between && (ring || algorithm_.between == BetweenAlgorithm::tree);
}

StagedSchedule ClusterFlows::schedule(std::uint64_t bytes) const {
  StagedSchedule s = collective::staged(collective_, algorithm_.name, group_.shape, bytes, root_);
  const std::uint64_t all = std::max<std::uint64_t>(1, bytes);
  if (!is_pipeline(s))
    s.chunk = all;
  else if (model_.chunk > 0)
    s.chunk = std::min(model_.chunk, all);
  return s;
}

bool ClusterFlows::has_chunks(std::uint64_t bytes) const { return is_pipeline(schedule(bytes)); }

LinkMap ClusterFlows::own_links(ActivityGraph& graph) const {
  LinkMap map;
  for (const ClusterLink& link : links()) map.push_back({{graph.add_link(link.rate, link.count), 1}});
  return map;
}

double ClusterFlows::bound_GBps(std::uint64_t bytes) const {
  ActivityGraph graph;
  const LinkMap map = own_links(graph);
  StagedSchedule whole = schedule(bytes);
  whole.chunk = std::max<std::uint64_t>(1, bytes);
  add_stages(whole, bytes, 0, graph, map, 0);
  const std::vector<double> crossed = graph.link_bytes();
  double longest = 0;
  for (std::size_t l = 0; l < crossed.size(); ++l) longest = std::max(longest, crossed[l] / links()[l].rate);
  return longest > 0 ? static_cast<double>(bytes) / longest / 1e9 : 0;
}

/// Returns the number of activities of a stage of a chunk.
double ClusterFlows::activities_of(const Stage& stage) const {
  const StageWork work = collective::work_of(stage);
  const GroupShape& shape = group_.shape;
  const double passes = work == StageWork::allreduce ? 2 : 1;
  if (stage.where == Stage::Where::all) return passes * (shape.ranks() - 1) * shape.ranks_each;
  if (work == StageWork::broadcast || work == StageWork::scatter || crosses_rails(work)) return 1;
  if (stage.where == Stage::Where::inside)
    return algorithm_.inside == InsideAlgorithm::pull ? 1 : passes * (shape.ranks_each - 1);
  if (algorithm_.between == BetweenAlgorithm::tree) return 2;
  return algorithm_.between == BetweenAlgorithm::netreduce ? 1 : passes * (shape.servers - 1);
}

double ClusterFlows::activities(std::uint64_t bytes) const {
  const StagedSchedule s = schedule(bytes);
  ActivityGraph graph;
  const LinkMap none;
  const StageFlows flows(model_, links_, trees_, algorithm_, graph, none, 0, slice(bytes));
  double each = 0;
  for (const Stage& stage : s.stages)
    each += activities_of(stage) *
            (stage.where == Stage::Where::inside ? flows.operations(stage, static_cast<double>(s.chunk)) : 1);
  return each * std::ceil(static_cast<double>(bytes) / static_cast<double>(s.chunk));
}

double ClusterFlows::memory(std::uint64_t bytes, double parts_of_link) const {
  constexpr double waits = 2;
  const double uses = rail_uses * static_cast<double>(trees_.classes());  // a tree uses the links of all classes of servers
  return activities(bytes) * (activity_bytes + uses * parts_of_link * use_bytes + waits * wait_bytes);
}

void ClusterFlows::add(std::uint64_t bytes, double start, ActivityGraph& graph, const LinkMap& map,
                       std::uint32_t first_lane) const {
  const StagedSchedule s = schedule(bytes);
  collective::verify(s);
  add_stages(s, bytes, start, graph, map, first_lane);
}

/// Returns the bytes that a chain or a tree forwards at once: a chunk of a path or of two trees, as GPUs of one server and
/// hosts on Ethernet do.
double ClusterFlows::slice(std::uint64_t bytes) const {
  constexpr double block = 128;
  const GroupShape& shape = group_.shape;
  const bool between = shape.servers > 1;
  const auto path = std::max<std::uint64_t>(1, bytes / static_cast<std::uint64_t>(between ? shape.ranks_each : 1));
  const bool tree = between && algorithm_.between == BetweenAlgorithm::tree;
  const int chunks =
      (tree ? collective::tree_chunks : collective::path_chunks)(path, between ? shape.servers : shape.ranks_each);
  const double slice = std::ceil(static_cast<double>(path) / chunks / block) * block;
  return between ? std::min(model_.slice, slice) : slice;
}

unsigned ClusterFlows::between_window(std::uint64_t bytes, std::uint64_t chunk) const {
  ActivityGraph graph;
  const LinkMap none;
  const StageFlows flows(model_, links_, trees_, algorithm_, graph, none, 0, slice(bytes));
  for (const Stage& stage : schedule(bytes).stages)
    if (stage.where == Stage::Where::between) return flows.at_once(stage, static_cast<double>(chunk));
  return 1;
}

/// A chunk enters a stage when it has left the stage before, and when the stage has room.
void ClusterFlows::add_stages(const StagedSchedule& schedule, std::uint64_t bytes, double start, ActivityGraph& graph,
                              const LinkMap& map, std::uint32_t first_lane) const {
  StageFlows flows(model_, links_, trees_, algorithm_, graph, map, first_lane, slice(bytes));
  const StageFlows::Ids begin = flows.barrier(schedule.stages.front(), start);
  std::vector<std::vector<StageFlows::Ids>> ends(schedule.stages.size());  // by stage and chunk
  for (std::uint64_t at = 0; at < bytes; at += schedule.chunk) {
    const auto chunk = static_cast<double>(std::min(schedule.chunk, bytes - at));
    StageFlows::Ids last = begin;
    for (std::size_t stage = 0; stage < schedule.stages.size(); ++stage) {
      const unsigned room = flows.at_once(schedule.stages[stage], static_cast<double>(schedule.chunk));
      std::vector<StageFlows::Ids>& chunks = ends[stage];
      const StageFlows::Ids left = chunks.size() < room ? StageFlows::Ids{} : chunks[chunks.size() - room];
      last = flows.add(schedule.stages[stage], schedule.stages.size() == 1, chunk, last, left, start);
      chunks.push_back(last);
    }
  }
}

}  // namespace tributary
