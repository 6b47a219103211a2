#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "testbench/cli/sweep/sweep_request.h"

namespace tributary {

/// The end of a process.
struct ProcessEnd {
  int exit_code = 0;
  int signal = 0;  ///< 0: the process exited
};

/// Exit code of a process whose point another process is running.
inline constexpr int point_taken = 75;

/// Runs one point of a sweep in a process of its own, because SystemC elaborates once per process. The process writes its
/// results to a file of its own, which the sweep then adopts.
class PointProcess {
 public:
  /// Starts the process. `stem` is the path of the point's files without suffix. `at_once`: points that run at the same
  /// time, among which the processors are divided. Throws std::runtime_error.
  PointProcess(const PointRun& point, std::string stem, std::size_t at_once);

  /// Returns the end of the process, or nothing while it runs. Does not wait.
  std::optional<ProcessEnd> poll() const;
  void interrupt() const;
  /// Returns the path of the file that the run writes, complete or not.
  std::string part() const { return stem_ + ".part"; }
  /// Returns the path of the file with the standard error of the process.
  std::string log() const { return stem_ + ".log"; }

 private:
  [[noreturn]] void be_child(const PointRun& point, std::size_t at_once) const;

  std::string stem_;
  pid_t pid_ = 0;
};

}  // namespace tributary
