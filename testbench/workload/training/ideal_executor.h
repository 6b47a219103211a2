#pragma once
/// Executes a graph event by event, by the rules of ideal_run.h.

#include <queue>
#include <set>
#include <tuple>
#include <vector>

#include "modules/tasks/paced_work.h"
#include "testbench/workload/training/ideal_run.h"
#include "testbench/workload/training/rank_state.h"
#include "testbench/workload/training/transfer_sharing.h"

namespace tributary::training {

class Executor {
 public:
  Executor(const TaskGraph& graph, const IdealOptions& options, IdealRun& run);

  void run();

 private:
  /// A collective or a send in progress.
  struct Meeting {
    std::size_t ready = 0, begun = 0;
    TransferTime time;
    PacedWork issuing;
    std::uint64_t whole = 1, pace = 0;  ///< work per picosecond: alone, and now
    bool known = false, sends = false;
    std::uint32_t version = 0;
  };
  enum class What : std::uint8_t { instance, engine, issued, transfer };
  struct Event {
    Tick time;
    std::uint64_t number;  ///< breaks ties, in order of creation
    What what;
    std::uint32_t index, version;
    bool operator<(const Event& other) const { return std::tie(other.time, other.number) < std::tie(time, number); }
  };

  const Task& task_of(InstanceId i) const { return graph_.tasks[instances_.task(i)]; }
  std::size_t place(InstanceId i) const { return run_.one_for_all ? 0 : static_cast<std::size_t>(instances_.rank(i)); }
  RankState& rank_of(InstanceId i) { return ranks_[place(i)]; }
  CommQueue& queue_of(InstanceId i) { return rank_of(i).comm[task_of(i).queue]; }
  void at(Tick time, What what, std::uint32_t index, std::uint32_t version = 0) {
    events_.push({time, number_++, what, index, version});
  }
  void touch(InstanceId i) {
    if (dirty_[place(i)]) return;
    dirty_[place(i)] = true;
    touched_.push_back(place(i));
  }

  /// Returns the rate of the running compute task. The full rate is whole_compute(): all SMs, times 100 if a memory share
  /// is set.
  std::uint64_t compute_rate(const RankState& rank) const;
  std::uint64_t whole_compute() const { return all_sms * (options_.memory_share == 0 ? 1 : 100); }

  void handle(const Event& event);
  void become_ready(InstanceId i);
  void finish(InstanceId i);
  void dispatch();
  void start_engine(std::size_t where, RankState& rank);
  bool before(const TaskQueue& a, const TaskQueue& b) const;
  bool has_room(const CommQueue& queue, std::uint64_t bytes) const;
  void issue(InstanceId i, CommQueue& queue);
  void issue_listed(CommQueue& queue);
  /// Starts eligible collectives on all members simultaneously.
  void start_eligible();
  void begin_front(CommQueue& queue);
  void start_transfer(std::uint32_t m);
  /// Updates the rates of all transfers that share a rank or a link with one that began or ended.
  void share_again();
  void all_issued(std::uint32_t m);
  void leave_front(std::uint32_t m);
  void end_transfer(std::uint32_t m);
  /// Applies the beginning (`active`) or end of a collective that occupies `sms` SMs on this instance's rank.
  void interfere(InstanceId i, unsigned sms, bool active);

  const TaskGraph& graph_;
  const IdealOptions& options_;
  IdealRun& run_;
  const Instances& instances_;
  std::vector<Meeting> meetings_;
  TransferSharing sharing_;
  std::vector<RankState> ranks_;
  std::vector<std::size_t> waits_;
  std::vector<PacedWork> engine_;
  std::vector<std::uint32_t> engine_version_;
  std::vector<bool> dirty_;
  std::vector<std::size_t> touched_;
  std::set<std::tuple<std::int32_t, Tick, InstanceId>> eligible_;
  std::priority_queue<Event> events_;
  std::uint64_t number_ = 0;
  Tick now_ = 0;
};

}  // namespace tributary::training
