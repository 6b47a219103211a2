#pragma once
/// Tasks that can begin on a rank: queues of its compute engine and its communication queues, in the order required by the
/// graph.

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "testbench/workload/training/instances.h"

namespace tributary::training {

/// Tasks of one queue, which returns the next to begin.
class TaskQueue {
 public:
  explicit TaskQueue(Order order = Order::listed) : order_(order) {}
  /// Appends a task in list order, before the run.
  void list(InstanceId i) { listed_.push_back(i); }
  void ready(InstanceId i, Tick now, std::int32_t priority) {
    ready_.emplace(order_ == Order::priority ? priority : 0, order_ == Order::listed ? 0 : now, i);
    since_[i] = now;
  }
  /// Returns the next instance, or Instances::none if none can begin.
  InstanceId next() const {
    if (order_ == Order::listed) {
      if (listed_.empty() || since_.count(listed_.front()) == 0) return Instances::none;
      return listed_.front();
    }
    return ready_.empty() ? Instances::none : std::get<2>(*ready_.begin());
  }
  Tick since(InstanceId i) const { return since_.at(i); }
  void take(InstanceId i, std::int32_t priority) {
    const Tick now = since_.at(i);
    ready_.erase({order_ == Order::priority ? priority : 0, order_ == Order::listed ? 0 : now, i});
    since_.erase(i);
    if (order_ == Order::listed) listed_.pop_front();
  }

 private:
  Order order_;
  std::deque<InstanceId> listed_;
  std::set<std::tuple<std::int32_t, Tick, InstanceId>> ready_;
  std::map<InstanceId, Tick> since_;
};

/// A communication queue of a rank: operations in order of issue.
struct CommQueue {
  TaskQueue listed;               ///< tasks that have not been issued
  std::deque<InstanceId> issued;  ///< not yet begun, or begun and still blocking the next
  bool front_begun = false;
  std::uint64_t outstanding = 0;  ///< bytes issued and not done
  InstanceId last = Instances::none;
};

struct RankState {
  std::map<std::uint32_t, TaskQueue> compute;  ///< by queue
  std::map<std::uint32_t, CommQueue> comm;
  InstanceId running = Instances::none;  ///< task on the engine
  InstanceId last = Instances::none;     ///< previous task on the engine
  unsigned sms = 0;                      ///< SMs occupied by active collectives
  unsigned active = 0;                   ///< active collectives and sends
};

}  // namespace tributary::training
