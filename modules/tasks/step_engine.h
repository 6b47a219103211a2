#pragma once
/// StepEngine: a training step at one device that carries out one operation at a time: its compute tasks, and the order of
/// its operations.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "modules/tasks/compute_unit.h"
#include "modules/tasks/operation_queues.h"
#include "modules/tasks/task_board.h"

namespace tributary {

class StepListener {
 public:
  virtual ~StepListener() = default;
  /// Begins an operation; the device carries out no other.
  virtual void begin_operation(std::uint32_t operation, Tick now) = 0;
  virtual void step_done(Tick now) = 0;
};

/// TaskBoard, OperationQueues and the compute unit (ComputeQueues) define the rules of its parts. The next operation
/// begins as soon as its predecessor has ended at this device, independently of other devices.
class StepEngine : private ComputeUnit::Listener, private OperationQueues::Listener {
 public:
  /// `compute` may be null: then there are no steps.
  StepEngine(StepListener& listener, ComputeUnit* compute) : listener_(listener), compute_(compute) {}

  /// Throws std::logic_error without a compute unit.
  void post(TaskProgram tasks, Tick t0);
  /// True from post() to the end of the step.
  bool active() const { return active_; }
  /// Returns the operation that has begun last; `none` before the first.
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  std::uint32_t current() const { return current_; }
  /// The current operation ends at `when`.
  void over(Tick when) { operations_.over(current_, when); }

  Tick next() const;
  void run_until(Tick horizon);

  std::vector<std::string> waiting() const;
  void reset();
  /// `name`: of the device.
  void describe(ProbeDirectory& directory, const std::string& name);

 private:
  void ready(std::uint32_t task, Tick now);
  void ended(std::uint32_t task, Tick now);
  // ComputeUnit::Listener
  void compute_begun(std::uint32_t task, Tick now) override { board_.begun(task, now); }
  void compute_ended(std::uint32_t task, Tick now) override { ended(task, now); }
  // OperationQueues::Listener
  void operation_begun(std::uint32_t task, Tick now) override;
  void operation_launched(std::uint32_t task, Tick now) override;
  void operation_ended(std::uint32_t task, Tick now) override;

  StepListener& listener_;
  ComputeUnit* compute_;
  TaskProgram tasks_;
  TaskBoard board_;
  OperationQueues operations_{static_cast<OperationQueues::Listener&>(*this)};
  Tick start_at_ = never;
  std::uint32_t current_ = none;
  bool active_ = false;
  bool again_ = false;  // a task has become ready at this instant
};

}  // namespace tributary
