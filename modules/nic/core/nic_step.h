#pragma once
/// NicStep: a training step at one node of a network of NICs: its compute tasks, and the operations of its NIC, one at a
/// time.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "modules/nic/core/nic_program.h"
#include "modules/tasks/compute_unit.h"
#include "modules/tasks/operation_queues.h"
#include "modules/tasks/task_board.h"

namespace tributary {

/// All nodes use the same operation numbers. Packets of operations differ in their addresses.
struct NicStep {
  TaskProgram tasks;
  std::vector<NicProgram> operations;
  /// Start addresses in memory of the messages and mailboxes of operations, in order.
  std::vector<std::pair<std::uint64_t, std::uint32_t>> places;
};

class NicStepListener {
 public:
  virtual ~NicStepListener() = default;
  /// Begins an operation; the NIC is idle.
  virtual void begin_operation(std::uint32_t operation, NicProgram program, Tick now) = 0;
  virtual void step_done(Tick now) = 0;
};

/// TaskBoard, OperationQueues and the compute unit (ComputeQueues) define the rules of its parts. The next operation
/// begins as soon as its predecessor has ended at this node, independently of other nodes.
class NicStepEngine : private ComputeUnit::Listener, private OperationQueues::Listener {
 public:
  /// `compute` may be null: then there are no steps.
  NicStepEngine(NicStepListener& listener, ComputeUnit* compute) : listener_(listener), compute_(compute) {}

  /// Throws std::logic_error without a compute unit.
  void post(NicStep step, Tick t0);
  /// True from post() to the end of the step.
  bool active() const { return active_; }
  /// Returns the operation that the NIC has begun last; `none` before the first.
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  std::uint32_t current() const { return current_; }
  /// Returns the operation of a packet for this node.
  std::uint32_t operation_of(std::uint64_t address) const;
  /// The current operation ends at `when`.
  void over(Tick when) { operations_.over(current_, when); }

  Tick next() const { return std::min({start_at_, compute_->next(), operations_.next()}); }
  void run_until(Tick horizon);

  std::vector<std::string> waiting() const;
  void reset();
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

  NicStepListener& listener_;
  ComputeUnit* compute_;
  NicStep step_;
  TaskBoard board_;
  OperationQueues operations_{static_cast<OperationQueues::Listener&>(*this)};
  Tick start_at_ = never;
  std::uint32_t current_ = none;
  bool active_ = false;
  bool again_ = false;  // a task has become ready at this instant
};

}  // namespace tributary
