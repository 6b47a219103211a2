#pragma once
/// ComputeUnit: interface of the unit that executes the compute tasks of a node, next to its NIC. ComputeQueues is the
/// default model.

#include <cstdint>
#include <string>
#include <vector>

#include "modules/base/probe.h"
#include "modules/tasks/task_program.h"

namespace tributary {

/// The unit decides when a ready task begins and ends, and notifies the listener of both within run().
class ComputeUnit {
 public:
  class Listener {
   public:
    virtual ~Listener() = default;
    virtual void compute_begun(std::uint32_t task, Tick now) = 0;
    virtual void compute_ended(std::uint32_t task, Tick now) = 0;
  };
  virtual ~ComputeUnit() = default;

  /// Call before the first load().
  virtual void set_listener(Listener& listener) = 0;
  /// The program must stay valid until the next load() or reset().
  virtual void load(const TaskProgram& program) = 0;
  /// Marks a task ready; run() at the same instant may begin it.
  virtual void ready(std::uint32_t task, Tick now) = 0;
  /// Sets how many of all_multiprocessors are unavailable from `now` on.
  virtual void set_taken(unsigned multiprocessors, Tick now) = 0;
  /// Returns the end time of the running task, or `never`.
  virtual Tick next() const = 0;
  /// Ends tasks that are due and begins those that may begin.
  virtual void run(Tick now) = 0;

  virtual std::vector<std::string> waiting() const = 0;
  virtual void reset() = 0;
  virtual void describe(ProbeDirectory& directory, const std::string& prefix) = 0;
};

}  // namespace tributary
