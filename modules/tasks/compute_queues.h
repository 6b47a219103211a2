#pragma once
/// ComputeQueues: model of a compute engine: it runs one task at a time, without preemption, at a rate that communication
/// software lowers (by one SM for each NCCL channel).

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "modules/tasks/compute_unit.h"
#include "modules/tasks/paced_work.h"

namespace tributary {

/// Tasks of a queue begin in order. Among the next tasks of all queues, the engine selects the one that has been ready
/// longest, and among equals the first listed. The remaining work of a task is counted in ps x 80, so that changes of the
/// rate are exact.
class ComputeQueues final : public ComputeUnit {
 public:
  ComputeQueues() = default;
  explicit ComputeQueues(Listener& listener) : listener_(&listener) {}
  void set_listener(Listener& listener) override { listener_ = &listener; }

  void load(const TaskProgram& program) override;
  void ready(std::uint32_t task, Tick now) override { since_[task] = now; }
  /// At least one multiprocessor remains.
  void set_taken(unsigned multiprocessors, Tick now) override;
  Tick next() const override { return running_ ? work_.end() : never; }
  void run(Tick now) override;

  std::vector<std::string> waiting() const override;
  void reset() override;
  void describe(ProbeDirectory& directory, const std::string& prefix) override;

 private:
  struct Queue {
    std::uint32_t number = 0;
    std::vector<std::uint32_t> tasks;
    std::size_t first = 0;  // index of the first task that has not begun

    bool empty() const { return first == tasks.size(); }
    std::uint32_t front() const { return tasks[first]; }
  };
  void begin_next(Tick now);

  Listener* listener_ = nullptr;
  const TaskProgram* program_ = nullptr;
  std::vector<Queue> queues_;
  std::vector<Tick> since_;  // by task: time at which it became ready
  std::optional<std::uint32_t> running_;
  PacedWork work_;
  unsigned rate_ = all_multiprocessors;
  SignalProbe task_, busy_, shown_rate_;
};

}  // namespace tributary
