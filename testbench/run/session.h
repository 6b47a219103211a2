#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "modules/base/probe.h"
#include "platforms/platform.h"
#include "testbench/run/errors.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// Fingerprints of the last run: when which packet went over which link, and how many bytes each link carried.
struct Hashes {
  std::uint64_t trajectory = 0, traffic = 0;
};

/// One elaborated platform, which runs one message after another.
class Session {
 public:
  using Progress = std::function<void(double share, double simulated_us, double hops_per_s)>;

  enum class Elaboration {
    ends,    ///< with this platform
    goes_on  ///< others may be made in this process before the first of them runs
  };
  /// Elaborates. Throws SetupError.
  explicit Session(const RunSpec& spec, Elaboration elaboration = Elaboration::ends);
  ~Session();

  /// Message `number` of every job: a row for each.
  std::vector<ResultRow> run(std::size_t number);
  KernelUse kernel() const;
  /// As resolved by the algorithm: no automatic values are left.
  const RunParameters& parameters() const;
  const ProbeDirectory& probes() const;
  /// Only with RunSpec::trajectory.
  Hashes hashes() const;
  /// For tests that reach into the devices.
  Platform& platform();
  void on_progress(Progress progress);
  /// Ends the waveform.
  void finish();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace tributary
