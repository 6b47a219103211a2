#pragma once
/// TimeUsed: the time that a command has used.

#include <string>

#include "testbench/run/run_spec.h"

namespace tributary {

/// Seconds since this object was made, including child processes.
class TimeUsed {
 public:
  TimeUsed();
  double wall_s() const;
  double cpu_s() const;
  /// Returns the last line on the screen, `# took 1.23 s, 1.20 s of processor time`, with a line break. All other lines
  /// are the same in every run.
  std::string line() const;
  /// Returns this line with the simulator's performance: `, 9.8 M packet-hops/s, 84 MiB`.
  std::string line(const KernelUse& use) const;

 private:
  double wall_start_s_, cpu_start_s_;
};

}  // namespace tributary
