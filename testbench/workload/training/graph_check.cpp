#include "testbench/workload/training/graph_check.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "testbench/workload/collective.h"
#include "testbench/workload/input_error.h"

namespace tributary::training {
namespace {

/// Nodes of the order of instances: a node is a meeting with all its members, or a single instance.
class Nodes {
 public:
  explicit Nodes(const Instances& instances) : instances_(instances), node_(instances.size()) {
    std::vector<std::uint32_t> of_meeting(instances.meetings(), Instances::none);
    for (InstanceId i = 0; i < instances.size(); ++i) {
      const std::uint32_t meeting = instances.meeting_of(i);
      if (meeting != Instances::none && of_meeting[meeting] != Instances::none) {
        node_[i] = of_meeting[meeting];
        continue;
      }
      node_[i] = static_cast<std::uint32_t>(first_.size());
      if (meeting != Instances::none) of_meeting[meeting] = node_[i];
      first_.push_back(i);
    }
  }
  std::size_t size() const { return first_.size(); }
  std::uint32_t of(InstanceId i) const { return node_[i]; }
  InstanceId first(std::uint32_t node) const { return first_[node]; }
  template <class F>
  void each(std::uint32_t node, F visit) const {
    const std::uint32_t meeting = instances_.meeting_of(first_[node]);
    if (meeting == Instances::none) return visit(first_[node]);
    for (InstanceId i : instances_.members(meeting)) visit(i);
  }

 private:
  const Instances& instances_;
  std::vector<std::uint32_t> node_;
  std::vector<InstanceId> first_;
};

/// Returns the nodes that each node waits for.
NumberLists waits(const TaskGraph& graph, const Instances& instances, const QueueOrder& queues, const Nodes& nodes) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (InstanceId i = 0; i < instances.size(); ++i) {
    for (InstanceId p : instances.before(i)) pairs.emplace_back(nodes.of(i), nodes.of(p));
    if (queues.before(i) != Instances::none) pairs.emplace_back(nodes.of(i), nodes.of(queues.before(i)));
    if (graph.tasks[instances.task(i)].kind == TaskKind::receive)
      pairs.emplace_back(nodes.of(i), nodes.of(instances.partner(i)));
  }
  return {nodes.size(), pairs};
}

/// `'a' (task 1), which waits for 'b' (task 2), which waits for 'a' (task 1)`
[[noreturn]] void refuse_cycle(const TaskGraph& graph, const Instances& instances, const Nodes& nodes,
                               const std::vector<std::uint32_t>& path) {
  constexpr std::size_t most = 12;
  std::string text;
  for (std::size_t k = 0; k < path.size(); ++k) {
    if (k > 0) text += ", which waits for ";
    if (path.size() > most && k == most - 2) {
      text += "... (" + std::to_string(path.size() - most + 1) + " more), which waits for ";
      k = path.size() - 2;
    }
    text += name_of(graph, instances.task(nodes.first(path[k])));
  }
  throw InputError("tasks wait for each other in a cycle: " + text);
}

/// Byte ranges in use, by first byte, with their last user.
class BufferMap {
 public:
  /// Calls `earlier` with the last user of every part of the range, and assigns the whole range to `user`.
  template <class F>
  void take(const BufferRange& range, InstanceId user, F earlier) {
    const std::uint64_t end = range.first + range.bytes;
    cut(range.first), cut(end);
    const auto from = ranges_.lower_bound(range.first), to = ranges_.lower_bound(end);
    for (auto r = from; r != to; ++r) earlier(r->second.user);
    ranges_.erase(from, to);
    ranges_[range.first] = {end, user};
  }

 private:
  struct Use {
    std::uint64_t end;
    InstanceId user;
  };
  void cut(std::uint64_t at) {
    auto r = ranges_.upper_bound(at);
    if (r == ranges_.begin()) return;
    --r;
    if (r->first == at || r->second.end <= at) return;
    ranges_[at] = r->second;
    r->second.end = at;
  }
  std::map<std::uint64_t, Use> ranges_;
};

/// Answers whether one node is done before another begins, independent of timing.
class Reach {
 public:
  Reach(const NumberLists& waits, std::size_t nodes, const std::vector<std::uint32_t>& position)
      : waits_(waits), seen_(nodes, 0), position_(position) {}
  bool before(std::uint32_t earlier, std::uint32_t later) {
    ++turn_;
    std::vector<std::uint32_t> open{later};
    while (!open.empty()) {
      const std::uint32_t at = open.back();
      open.pop_back();
      for (std::uint32_t p : waits_.of(at)) {
        if (p == earlier) return true;
        if (position_[p] <= position_[earlier] || seen_[p] == turn_) continue;
        seen_[p] = turn_;
        open.push_back(p);
      }
    }
    return false;
  }

 private:
  const NumberLists& waits_;
  std::vector<std::uint32_t> seen_;
  const std::vector<std::uint32_t>& position_;
  std::uint32_t turn_ = 0;
};

void check_transfers(const TaskGraph& graph) {
  for (TaskId t = 0; t < graph.tasks.size(); ++t) {
    const Task& task = graph.tasks[t];
    if (!moves(task.kind)) continue;
    if (task.transfer.bytes == 0) throw InputError(name_of(graph, t) + " moves no bytes (legal: at least 1)");
    if (task.kind != TaskKind::collective) continue;
    try {
      collective_of(task.transfer.collective);
    } catch (const std::invalid_argument& error) {
      throw InputError(name_of(graph, t) + ": " + error.what());
    }
    const int members = static_cast<int>(graph.groups.at(task.group).ranks.size());
    if (task.transfer.root < 0 || task.transfer.root >= members)
      throw InputError(name_of(graph, t) + ": unknown root " + std::to_string(task.transfer.root) + " (legal: 0 to " +
                       std::to_string(members - 1) + ")");
  }
}

std::vector<std::uint32_t> order_of(const TaskGraph& graph, const Instances& instances, const Nodes& nodes,
                                    const NumberLists& waits) {
  enum : std::uint8_t { fresh, open, done };
  std::vector<std::uint8_t> state(nodes.size(), fresh);
  std::vector<std::uint32_t> order;
  std::vector<std::pair<std::uint32_t, std::size_t>> path;  // a node, and the number of its predecessors visited
  for (std::uint32_t start = 0; start < nodes.size(); ++start) {
    if (state[start] != fresh) continue;
    path.emplace_back(start, 0), state[start] = open;
    while (!path.empty()) {
      auto& [node, looked] = path.back();
      const auto before = waits.of(node);
      if (looked == before.size()) {
        state[node] = done, order.push_back(node), path.pop_back();
        continue;
      }
      const std::uint32_t next = before.begin()[looked++];
      if (state[next] == open) {
        std::vector<std::uint32_t> cycle{next};
        std::size_t from = path.size();
        while (path[--from].first != next) {
        }
        for (++from; from < path.size(); ++from) cycle.push_back(path[from].first);
        cycle.push_back(next);
        refuse_cycle(graph, instances, nodes, cycle);
      }
      if (state[next] == fresh) state[next] = open, path.emplace_back(next, 0);
    }
  }
  return order;
}

void check_buffers(const TaskGraph& graph, const Instances& instances, const QueueOrder& queues) {
  const auto has = [](const Task& task) { return task.kind == TaskKind::collective && task.transfer.buffer; };
  if (std::none_of(graph.tasks.begin(), graph.tasks.end(), has)) return;
  const Nodes nodes(instances);
  const NumberLists lists = waits(graph, instances, queues, nodes);
  const std::vector<std::uint32_t> order = order_of(graph, instances, nodes, lists);
  std::vector<std::uint32_t> position(nodes.size());
  for (std::uint32_t k = 0; k < order.size(); ++k) position[order[k]] = k;
  Reach reach(lists, nodes.size(), position);
  std::map<std::pair<GroupId, int>, BufferMap> buffers;
  for (std::uint32_t node : order)
    nodes.each(node, [&](InstanceId i) {
      const Task& task = graph.tasks[instances.task(i)];
      if (!has(task)) return;
      buffers[{task.group, instances.rank(i)}].take(*task.transfer.buffer, i, [&](InstanceId earlier) {
        if (!reach.before(nodes.of(earlier), node))
          throw InputError(name_of(graph, instances.task(earlier)) + " and " + name_of(graph, instances.task(i)) +
                           " use the same bytes of the buffer of group " + graph.groups[task.group].name +
                           ", and neither waits for the other");
      });
    });
}

}  // namespace

QueueOrder::QueueOrder(const TaskGraph& graph, const Instances& instances) : before_(instances.size(), Instances::none) {
  std::map<std::tuple<int, bool, std::uint32_t>, InstanceId> last;  // rank, engine, queue
  for (InstanceId i = 0; i < instances.size(); ++i) {
    const Task& task = graph.tasks[instances.task(i)];
    const bool engine = on_engine(task.kind);
    if (!engine && task.kind != TaskKind::collective && task.kind != TaskKind::send) continue;
    if ((engine ? graph.compute_order : graph.comm_order) != Order::listed) continue;
    auto& before = last.try_emplace({instances.rank(i), engine, task.queue}, Instances::none).first->second;
    before_[i] = before;
    before = i;
  }
}

std::vector<InstanceId> topological_order(const TaskGraph& graph, const Instances& instances, const QueueOrder& queues) {
  const Nodes nodes(instances);
  std::vector<InstanceId> order;
  for (std::uint32_t node : order_of(graph, instances, nodes, waits(graph, instances, queues, nodes)))
    nodes.each(node, [&](InstanceId i) { order.push_back(i); });
  return order;
}

void check(const TaskGraph& graph) {
  const Instances instances(graph, alike(graph));
  check_transfers(graph);
  const QueueOrder queues(graph, instances);
  topological_order(graph, instances, queues);
  check_buffers(graph, instances, queues);
}

}  // namespace tributary::training
