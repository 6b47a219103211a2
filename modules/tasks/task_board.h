#pragma once
/// TaskBoard: dependency counters that decide which tasks of a device's program may begin.

#include <cstdint>
#include <string>
#include <vector>

#include "modules/base/probe.h"
#include "modules/tasks/task_program.h"

namespace tributary {

/// Engines report the begin and end of tasks; the board calls back for each task that becomes ready.
class TaskBoard {
 public:
  /// The program must stay valid until the next load() or clear().
  void load(const TaskProgram& program);
  void load(const TaskProgram&&) = delete;  // a temporary ends before its tasks
  void clear() { program_ = nullptr, waits_.clear(), left_ = 0; }

  bool loaded() const { return program_ != nullptr; }
  const DeviceTask& task(std::uint32_t task) const { return program_->tasks[task]; }
  /// Returns true if all tasks have ended.
  bool over() const { return left_ == 0; }

  /// Calls ready(task) for each task without dependencies.
  template <class Ready>
  void start(Tick now, Ready ready) {
    std::vector<std::uint32_t> first;  // copied, as an engine may end tasks within ready()
    for (std::uint32_t t = 0; t < waits_.size(); ++t)
      if (waits_[t] == 0) first.push_back(t);
    for (const std::uint32_t t : first) shown_ready(now, t), ready(t);
  }
  void begun(std::uint32_t task, Tick now) { begun_(now, task); }
  /// Calls ready(task) for each task that waited only for this one.
  template <class Ready>
  void ended(std::uint32_t task, Tick now, Ready ready) {
    ended_(now, task);
    --left_;
    for (const std::uint32_t next : program_->tasks[task].next)
      if (--waits_[next] == 0) shown_ready(now, next), ready(next);
  }

  /// Returns one line if tasks are left.
  std::vector<std::string> waiting() const;
  void describe(ProbeDirectory& directory, const std::string& device);

 private:
  void shown_ready(Tick now, std::uint32_t task) { ready_(now, task); }

  const TaskProgram* program_ = nullptr;
  std::vector<std::uint32_t> waits_;  // dependencies left, by task
  std::size_t left_ = 0;
  SignalProbe ready_, begun_, ended_;
};

}  // namespace tributary
