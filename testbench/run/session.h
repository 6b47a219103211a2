#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <vector>

#include "modules/base/probe.h"
#include "platforms/nvswitch/nvswitch_platform.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// A set-up that cannot be simulated. One line; exit code 2.
class SetupError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Fingerprints of the last run: when which packet went over which link, and how many bytes each link carried.
struct Hashes {
  std::uint64_t trajectory = 0, traffic = 0;
};

/// One elaborated platform, which runs one message after another.
class Session {
 public:
  using Progress = std::function<void(double share, double simulated_us, double hops_per_s)>;

  /// Elaborates. Throws SetupError.
  explicit Session(const RunSpec& spec);
  ~Session();

  /// One row; of several jobs at once, that of the first.
  ResultRow run(const WorkItem& item) { return run_jobs(item).front(); }
  /// A row for each job.
  std::vector<ResultRow> run_jobs(const WorkItem& item);
  KernelUse kernel() const;
  /// As resolved by the algorithm: no automatic values are left.
  const PlatformParams& parameters() const;
  const ProbeDirectory& probes() const;
  /// Only with RunSpec::trajectory.
  Hashes hashes() const;
  /// For tests that reach into the machine. system() throws std::bad_cast unless it is one of GPUs.
  NvSwitchPlatform& system();
  void on_progress(Progress progress);
  /// Ends the waveform.
  void finish();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace tributary
