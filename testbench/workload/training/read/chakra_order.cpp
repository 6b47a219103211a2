// Groups, dependencies and task order of Chakra traces.
#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>

#include "modules/base/nearest.h"
#include "testbench/workload/input_error.h"
#include "testbench/workload/training/read/chakra_graph.h"
#include "testbench/workload/training/read/group_file.h"
#include "testbench/workload/training/read/message_size.h"

namespace tributary {

training::GroupFile ParameterText<training::GroupFile>::parse(const std::string& text) {
  if (text.empty()) throw UnitError("no file name");
  return {text};
}

const std::vector<std::pair<training::TraceTimes, std::string>>& EnumNames<training::TraceTimes>::names() {
  using training::TraceTimes;
  static const std::vector<std::pair<TraceTimes, std::string>> all{
      {TraceTimes::automatic, "auto"}, {TraceTimes::trace, "trace"}, {TraceTimes::roofline, "roofline"}};
  return all;
}

const std::vector<std::pair<training::ControlDependencies, std::string>>& EnumNames<training::ControlDependencies>::names() {
  using training::ControlDependencies;
  static const std::vector<std::pair<ControlDependencies, std::string>> all{{ControlDependencies::automatic, "auto"},
                                                                            {ControlDependencies::taken, "taken"},
                                                                            {ControlDependencies::ignored, "ignored"}};
  return all;
}

}  // namespace tributary

namespace tributary::training {
namespace {

constexpr std::size_t named = 12;  ///< nodes of a cycle named in an error

}  // namespace

void ChakraGraph::resolve_groups(Trace& trace) {
  std::vector<const std::string*> name(trace.tasks.size(), nullptr);
  for (const auto& [task, group] : trace.group_names) name[task] = &group;
  const std::string everyone;
  for (Index t = 0; t < trace.tasks.size(); ++t)
    if (trace.tasks[t].kind == TaskKind::collective) resolve_group(trace, t, name[t] == nullptr ? everyone : *name[t]);
}

/// Reads the file of groups when a trace needs it.
const std::map<std::string, std::vector<int>>& ChakraGraph::groups_of_file() {
  if (of_file_) return *of_file_;
  of_file_.emplace();
  group_file_ = options_.groups ? options_.groups->path : group_file_of(path_);
  if (group_file_.empty()) return *of_file_;
  for (const ChakraGroup& group : read_group_file(group_file_)) {
    std::vector<int>& ranks = (*of_file_)[group.name];
    for (const std::uint64_t rank : group.ranks) {
      if (rank >= static_cast<std::uint64_t>(graph_.ranks))
        throw InputError(group_file_ + ": process group '" + group.name + "' has rank " + std::to_string(rank) +
                         " (legal: 0 to " + std::to_string(graph_.ranks - 1) + ")");
      ranks.push_back(static_cast<int>(rank));
    }
  }
  return *of_file_;
}

/// Finds a group in the nodes of the trace, then in the file of groups; null: all ranks, for a collective without a group.
const std::vector<int>* ChakraGraph::ranks_of_group(const Trace& trace, Index t, const std::string& name) {
  if (const auto found = trace.groups.find(name); found != trace.groups.end()) return &found->second;
  if (name.empty()) return nullptr;
  const auto& of_file = groups_of_file();
  if (const auto found = of_file.find(name); found != of_file.end()) return &found->second;
  std::vector<std::string> names;
  for (const auto* groups : {&trace.groups, &of_file})
    for (const auto& [known, ranks] : *groups) names.push_back(known);
  if (names.empty())
    fail(trace, t,
         "unknown process group '" + name +
             "': no node lists groups, and neither PREFIX.json nor comm_group.json next to the trace does (legal: "
             "graph.groups=FILE)");
  fail(trace, t,
       unknown_name("process group", name, names, names.size() <= 8) +
           (group_file_.empty() ? "" : "; groups are those of the trace and of " + group_file_));
}

void ChakraGraph::resolve_group(Trace& trace, Index t, const std::string& name) {
  Task& task = trace.tasks[t];
  const std::vector<int>* ranks = ranks_of_group(trace, t, name);
  if (ranks != nullptr) task.group = group_of(trace, name, *ranks);
  const auto& members = graph_.groups[task.group].ranks;
  const auto place = [&](int rank) { return std::find(members.begin(), members.end(), rank); };
  if (trace.rank >= 0 && place(trace.rank) == members.end())
    fail(trace, t, "rank " + std::to_string(trace.rank) + " is not a member of its process group '" + name + "'");
  if (task.transfer.root < 0) {
    task.transfer.root = 0;
  } else {
    const auto root = place(task.transfer.root);
    if (root == members.end())
      fail(trace, t,
           "comm_src " + std::to_string(task.transfer.root) + " is not a member of its process group '" + name + "'");
    task.transfer.root = static_cast<int>(root - members.begin());
  }
  const auto bytes = message_size(task.transfer.collective, task.transfer.bytes, members.size());
  if (!bytes) fail(trace, t, "more than 2^64 bytes over all ranks");
  task.transfer.bytes = *bytes;
}

GroupId ChakraGraph::group_of(const Trace& trace, const std::string& name, const std::vector<int>& ranks) {
  if (ranks == graph_.groups.front().ranks) return 0;
  if (trace.rank < 0)
    throw InputError(*trace.path + ": process group '" + name + "' has only some of the ranks, but the trace is for all " +
                     "(legal: PREFIX.0.et, PREFIX.1.et, ...: one per rank)");
  const auto known = known_.find({name, ranks});
  if (known != known_.end()) return known->second;
  // Traces of several ranks may use one name for groups with different ranks.
  std::string own = name == "all" ? "all_" : name;
  const auto taken = [&] {
    return std::any_of(graph_.groups.begin(), graph_.groups.end(), [&](const Group& g) { return g.name == own; });
  };
  if (taken()) own = name + "@" + std::to_string(ranks.front());
  while (taken()) own += "_";
  const GroupId id = graph_.add_group(own, ranks);
  known_[{name, ranks}] = id;
  return id;
}

std::vector<std::vector<ChakraGraph::Index>> ChakraGraph::predecessors(const Trace& trace) {
  std::vector<std::pair<std::uint64_t, Index>> places;
  for (Index t = 0; t < trace.ids.size(); ++t) places.emplace_back(trace.ids[t], t);
  std::sort(places.begin(), places.end());
  for (std::size_t i = 1; i < places.size(); ++i)
    if (places[i].first == places[i - 1].first)
      fail(trace, places[i].second,
           "its id is also the id of " + name_in(trace, places[i - 1].second) + " (legal: each id once)");
  const auto find = [&](std::uint64_t id) {
    const auto at = std::lower_bound(places.begin(), places.end(), std::make_pair(id, Index{0}));
    return at != places.end() && at->first == id ? &*at : nullptr;
  };
  std::vector<std::vector<Index>> before(trace.tasks.size());
  std::size_t absent = 0;
  const auto take = [&](const std::vector<std::pair<Index, std::uint64_t>>& pairs) {
    for (const auto& [task, id] : pairs) {
      const auto* found = find(id);
      if (found == nullptr)
        ++absent;
      else
        before[task].push_back(found->second);
    }
  };
  take(trace.data);
  bool control = options_.control == ControlDependencies::taken;
  if (options_.control == ControlDependencies::automatic)
    control =
        std::all_of(trace.control.begin(), trace.control.end(), [&](const auto& p) { return find(p.second) != nullptr; });
  if (control) take(trace.control);
  if (absent > 0)
    graph_.warnings.push_back(*trace.path + ": " + std::to_string(absent) +
                              " dependencies on nodes that are missing in the trace are ignored");
  for (auto& list : before) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return before;
}

/// Returns a topological order with ties by id: the next task is the one with the smallest id among those whose
/// predecessors are in the order.
std::vector<ChakraGraph::Index> ChakraGraph::order_of(const Trace& trace,
                                                      const std::vector<std::vector<Index>>& before) const {
  const std::size_t count = trace.tasks.size();
  std::vector<Index> first(count + 1, 0), missing(count);  // successors of t: next[first[t]] to next[first[t + 1] - 1]
  for (std::size_t t = 0; t < count; ++t) {
    missing[t] = static_cast<Index>(before[t].size());
    for (const Index p : before[t]) ++first[p + 1];
  }
  for (std::size_t t = 0; t < count; ++t) first[t + 1] += first[t];
  std::vector<Index> next(first[count]), at(first.begin(), first.end() - 1);
  for (Index t = 0; t < count; ++t)
    for (const Index p : before[t]) next[at[p]++] = t;
  using Entry = std::pair<std::uint64_t, Index>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> ready;
  for (Index t = 0; t < count; ++t)
    if (missing[t] == 0) ready.emplace(trace.ids[t], t);
  std::vector<Index> order;
  while (!ready.empty()) {
    const Index t = ready.top().second;
    ready.pop();
    order.push_back(t);
    for (Index i = first[t]; i < first[t + 1]; ++i)
      if (--missing[next[i]] == 0) ready.emplace(trace.ids[next[i]], next[i]);
  }
  if (order.size() == count) return order;

  // Each remaining task waits for a remaining one: following predecessors finds a cycle.
  const auto left = [&](Index t) { return missing[t] > 0; };
  Index t = 0;
  while (!left(t)) ++t;
  std::vector<Index> step(count, 0), path;
  while (step[t] == 0) {
    path.push_back(t);
    step[t] = static_cast<Index>(path.size());
    t = *std::find_if(before[t].begin(), before[t].end(), left);
  }
  path.erase(path.begin(), path.begin() + (step[t] - 1));
  std::string text = name_in(trace, path.front());
  for (std::size_t i = 1; i < std::min(path.size(), named); ++i) text += ", which waits for " + name_in(trace, path[i]);
  if (path.size() > named) text += ", and so on over " + std::to_string(path.size() - named) + " more";
  throw InputError(*trace.path + ": nodes wait for each other in a cycle: " + text + ", which waits for " +
                   name_in(trace, path.front()));
}

void ChakraGraph::append(Trace& trace, const std::vector<std::vector<Index>>& before, const std::vector<Index>& order) {
  const std::size_t base = graph_.tasks.size();
  if (base + order.size() > 0x7FFFFFFF)
    throw InputError(*trace.path + ": too many nodes (legal: below 2^31 over all ranks)");
  std::vector<TaskId> id(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) id[order[i]] = static_cast<TaskId>(base + i);

  std::vector<std::uint64_t> urgency(order.size(), 0);
  for (const auto& [task, priority] : trace.urgent) urgency[task] = priority;
  std::vector<Index> by_urgency(order);
  std::stable_sort(by_urgency.begin(), by_urgency.end(), [&](Index a, Index b) { return urgency[a] > urgency[b]; });
  for (std::size_t i = 0; i < order.size(); ++i) trace.tasks[by_urgency[i]].priority = static_cast<std::int32_t>(i);

  const TaskId none = ~TaskId{0};
  TaskId last_host = none, last_storage = none;
  for (const Index t : order) {
    Task& task = trace.tasks[t];
    for (const Index p : before[t]) task.after.push_back(id[p]);
    for (auto [is, last] :
         {std::make_pair(bool{trace.host[t]}, &last_host), std::make_pair(bool{trace.storage[t]}, &last_storage)}) {
      if (!is) continue;
      if (*last != none) task.after.push_back(*last);
      *last = id[t];
    }
    std::sort(task.after.begin(), task.after.end());
    task.after.erase(std::unique(task.after.begin(), task.after.end()), task.after.end());
    graph_.tasks.push_back(std::move(task));
  }
}

}  // namespace tributary::training
