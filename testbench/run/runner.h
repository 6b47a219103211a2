#pragma once
/// Runner: runs the messages of a RunSpec one after another, by packets (Session) or by flows (FluidSession).

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "platforms/kernel_time.h"
#include "testbench/run/run_spec.h"
#include "testbench/run/task.h"

namespace tributary {

class RunRecord;

/// A line about an observer of a run, for standard error.
struct ObserverNote {
  std::string text;
  bool failed;  ///< its file is incomplete
};

enum class Elaboration {
  ends,    ///< elaboration ends with this platform
  goes_on  ///< other platforms may be constructed in this process before the first of them runs
};

class Runner {
 public:
  using Progress = std::function<void(double share, double simulated_us, double hops_per_s)>;

  virtual ~Runner() = default;
  /// Runs message `number` of every job; returns one row for each job.
  virtual std::vector<ResultRow> run(std::size_t number) = 0;
  virtual KernelUse kernel() const = 0;
  /// Returns the parameters without automatic values.
  virtual const RunParameters& parameters() const = 0;
  virtual void on_progress(Progress) {}
  /// Returns the devices that do not run ahead of the kernel's time.
  virtual std::vector<DeviceInKernelTime> in_kernel_time() const { return {}; }
  /// Returns the reason, found at elaboration, why a run uses one thread; empty if it uses those of its RunSpec.
  virtual std::string one_lane_because() const { return ""; }
  /// Returns the record of the last message; null unless RunSpec::record asks for it.
  virtual const RunRecord* record() const { return nullptr; }
  /// Completes the files of all observers.
  virtual void finish() {}
  /// Returns the errors of observers, after finish(). They change neither rows nor status.
  virtual std::vector<ObserverNote> observer_notes() const { return {}; }
};

/// Constructs the runner for RunSpec::engine. Throws SetupError.
std::unique_ptr<Runner> make_runner(const RunSpec& spec, Elaboration elaboration = Elaboration::ends);

/// Returns the part of a row that is known before the message runs.
ResultRow row_of_message(const RunSpec& spec, const Task& task);
/// Returns the rows of message `number` when it does not run, or ends without a measured value.
std::vector<ResultRow> rows_without_result(const RunSpec& spec, std::size_t number, Status status);

}  // namespace tributary
