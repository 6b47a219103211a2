#pragma once

#include <string>

#include "testbench/run/run_spec.h"

namespace tributary {

/// Seconds that a command has taken since this object was made, its child processes included.
class TimeUsed {
 public:
  TimeUsed();
  double wall_s() const;
  double cpu_s() const;
  /// The last line on the screen: `# took 1.23 s, 1.20 s of processor time`, with a line break; what differs from run to run
  /// stands in no other line.
  std::string line() const;
  /// The same with what the simulator did: `, 9.8 M packet-hops/s, 84 MiB`.
  std::string line(const KernelUse& use) const;

 private:
  double wall_start_s_, cpu_start_s_;
};

}  // namespace tributary
