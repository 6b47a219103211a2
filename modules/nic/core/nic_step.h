#pragma once
/// NicStep: a training step at one node of a network of NICs: its compute tasks, and the operations of its NIC, one at a
/// time.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "modules/nic/core/nic_program.h"
#include "modules/tasks/step_engine.h"

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

/// StepEngine defines its rules.
class NicStepEngine : private StepListener {
 public:
  /// `compute` may be null: then there are no steps.
  NicStepEngine(NicStepListener& listener, ComputeUnit* compute)
      : listener_(listener), engine_(static_cast<StepListener&>(*this), compute) {}

  /// Throws std::logic_error without a compute unit.
  void post(NicStep step, Tick t0);
  /// True from post() to the end of the step.
  bool active() const { return engine_.active(); }
  /// Returns the operation that the NIC has begun last; `none` before the first.
  static constexpr std::uint32_t none = StepEngine::none;
  std::uint32_t current() const { return engine_.current(); }
  /// Returns the operation of a packet for this node.
  std::uint32_t operation_of(std::uint64_t address) const;
  /// The current operation ends at `when`.
  void over(Tick when) { engine_.over(when); }

  Tick next() const { return engine_.next(); }
  void run_until(Tick horizon) { engine_.run_until(horizon); }

  std::vector<std::string> waiting() const { return engine_.waiting(); }
  void reset();
  void describe(ProbeDirectory& directory, const std::string& name) { engine_.describe(directory, name); }

 private:
  // StepListener
  void begin_operation(std::uint32_t operation, Tick now) override {
    listener_.begin_operation(operation, std::move(step_.operations[operation]), now);
  }
  void step_done(Tick now) override { listener_.step_done(now); }

  NicStepListener& listener_;
  NicStep step_;
  StepEngine engine_;
};

}  // namespace tributary
