#pragma once
/// ComputeUnit: what carries out the compute tasks of a node beside its NIC. The model's own: ComputeStreams.

#include <cstdint>
#include <string>
#include <vector>

#include "modules/base/probe.h"
#include "modules/tasks/task_program.h"

namespace tributary {

/// A task that is ready begins and ends when the unit says so; both instants are told to the listener, within run().
class ComputeUnit {
 public:
  class Listener {
   public:
    virtual ~Listener() = default;
    virtual void compute_begun(std::uint32_t task, Tick now) = 0;
    virtual void compute_ended(std::uint32_t task, Tick now) = 0;
  };
  virtual ~ComputeUnit() = default;

  /// Before the first load().
  virtual void set_listener(Listener& listener) = 0;
  /// The program must stay until the next load() or reset().
  virtual void load(const TaskProgram& program) = 0;
  /// run() at the same instant begins it, if it may.
  virtual void ready(std::uint32_t task, Tick now) = 0;
  /// So many of all_multiprocessors are taken from now on.
  virtual void set_taken(unsigned multiprocessors, Tick now) = 0;
  /// When something ends; `never`: nothing does.
  virtual Tick next() const = 0;
  /// Ends what ends, begins what may begin.
  virtual void run(Tick now) = 0;

  virtual std::vector<std::string> waiting() const = 0;
  virtual void reset() = 0;
  virtual void describe(ProbeDirectory& directory, const std::string& prefix) = 0;
};

}  // namespace tributary
