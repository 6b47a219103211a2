#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "testbench/cli/sweep/sweep_request.h"

namespace tributary {

/// How a process has ended.
struct ProcessEnd {
  int exit_code = 0;
  int signal = 0;  ///< 0: it ended itself
};

/// Exit code of a process that finds another one at work on its point.
inline constexpr int point_taken = 75;

/// Runs one point of a sweep in a process of its own (SystemC elaborates once per process). Results are gathered beside the
/// point's file until the sweep takes them.
class PointProcess {
 public:
  /// Starts it. `stem` is the path of the point's files without suffix. Throws std::runtime_error.
  PointProcess(const SweepPoint& point, std::string stem);

  /// The end of the process, once it has come; does not wait.
  std::optional<ProcessEnd> poll() const;
  void interrupt() const;
  /// The file that the run has written, complete or not.
  std::string part() const { return stem_ + ".part"; }
  /// What it said on standard error.
  std::string log() const { return stem_ + ".log"; }

 private:
  [[noreturn]] void be_child(const SweepPoint& point) const;

  std::string stem_;
  pid_t pid_ = 0;
};

}  // namespace tributary
