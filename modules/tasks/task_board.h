#pragma once
/// TaskBoard: which tasks of a device's program can begin: a counter for each of what it still waits for.

#include <cstdint>
#include <string>
#include <vector>

#include "modules/base/probe.h"
#include "modules/tasks/task_program.h"

namespace tributary {

/// Engines tell it what has begun and ended; it calls back with what can begin.
class TaskBoard {
 public:
  /// The program must stay until the next load() or clear().
  void load(const TaskProgram& program);
  void clear() { program_ = nullptr, waits_.clear(), left_ = 0; }

  bool loaded() const { return program_ != nullptr; }
  const DeviceTask& task(std::uint32_t task) const { return program_->tasks[task]; }
  /// All tasks have ended.
  bool over() const { return left_ == 0; }

  /// Calls ready(task) for all that waits for nothing.
  template <class Ready>
  void start(Tick now, Ready ready) {
    std::vector<std::uint32_t> first;  // an engine may end tasks at once
    for (std::uint32_t t = 0; t < waits_.size(); ++t)
      if (waits_[t] == 0) first.push_back(t);
    for (const std::uint32_t t : first) shown_ready(now, t), ready(t);
  }
  void begun(std::uint32_t task, Tick now) { begun_(now, task); }
  /// Calls ready(task) for each task that waited for this one alone.
  template <class Ready>
  void ended(std::uint32_t task, Tick now, Ready ready) {
    ended_(now, task);
    --left_;
    for (const std::uint32_t next : program_->tasks[task].next)
      if (--waits_[next] == 0) shown_ready(now, next), ready(next);
  }

  /// A line, when tasks are left.
  std::vector<std::string> waiting() const;
  void describe(ProbeDirectory& directory, const std::string& device);

 private:
  void shown_ready(Tick now, std::uint32_t task) { ready_(now, task); }

  const TaskProgram* program_ = nullptr;
  std::vector<std::uint32_t> waits_;  // by task
  std::size_t left_ = 0;
  SignalProbe ready_, begun_, ended_;
};

}  // namespace tributary
