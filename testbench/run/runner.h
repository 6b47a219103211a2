#pragma once
/// Runner: runs the messages of a RunSpec, one after another: a Session by packets, a FluidSession by flows.

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "testbench/run/run_spec.h"
#include "testbench/run/task.h"

namespace tributary {

class RunRecord;

enum class Elaboration {
  ends,    ///< with this platform
  goes_on  ///< others may be made in this process before the first of them runs
};

class Runner {
 public:
  using Progress = std::function<void(double share, double simulated_us, double hops_per_s)>;

  virtual ~Runner() = default;
  /// Message `number` of every job: a row for each.
  virtual std::vector<ResultRow> run(std::size_t number) = 0;
  virtual KernelUse kernel() const = 0;
  /// No automatic values are left.
  virtual const RunParameters& parameters() const = 0;
  virtual void on_progress(Progress) {}
  /// Of the last message; null unless RunSpec::record asks for it.
  virtual const RunRecord* record() const { return nullptr; }
  /// Ends the waveform, writes the timeline.
  virtual void finish() {}
};

/// As RunSpec::engine says. Throws SetupError.
std::unique_ptr<Runner> make_runner(const RunSpec& spec, Elaboration elaboration = Elaboration::ends);

/// What the row of a message says before it has run.
ResultRow row_of_message(const RunSpec& spec, const Task& task);

}  // namespace tributary
