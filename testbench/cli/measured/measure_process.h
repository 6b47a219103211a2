#pragma once
/// MeasureProcess: the process that reruns a run, because a process that has elaborated a platform cannot start others.

#include <sys/types.h>

#include <optional>

#include "testbench/cli/measured/measured_search.h"
#include "testbench/report/measured/measured_result.h"

namespace tributary {

/// Renders a finding for all outputs of a run.
MeasuredResult render(const MeasuredFinding& measured, const KnownRun& run);

class MeasureProcess {
 public:
  /// Starts the process, which waits. Call this before the platform is elaborated. Throws std::runtime_error.
  explicit MeasureProcess(const MeasureRequest& request);
  /// Ends a process that still waits.
  ~MeasureProcess();
  MeasureProcess(const MeasureProcess&) = delete;
  MeasureProcess& operator=(const MeasureProcess&) = delete;

  /// Runs the search, and waits for its result. Throws std::runtime_error with one line if the process fails.
  MeasuredResult measure(const KnownRun& run);

 private:
  void end();

  pid_t pid_ = 0;
  int to_ = -1, from_ = -1;
};

}  // namespace tributary
