#pragma once

#include <memory>
#include <vector>

#include "modules/base/probe.h"
#include "platforms/platform.h"
#include "testbench/run/errors.h"
#include "testbench/run/run_spec.h"
#include "testbench/run/runner.h"

namespace tributary {

/// Fingerprints of the last run: the time of each packet on each link, and the bytes of each link.
struct Hashes {
  std::uint64_t trajectory = 0, traffic = 0;
};

/// Session: one elaborated platform, which runs one message after another.
class Session : public Runner {
 public:
  using Elaboration = tributary::Elaboration;
  /// Elaborates the platform. Throws SetupError.
  explicit Session(const RunSpec& spec, Elaboration elaboration = Elaboration::ends);
  ~Session() override;

  std::vector<ResultRow> run(std::size_t number) override;
  KernelUse kernel() const override;
  const RunParameters& parameters() const override;
  const ProbeDirectory& probes() const;
  /// Valid only with RunSpec::trajectory.
  Hashes hashes() const;
  /// For tests that access the devices.
  Platform& platform();
  void on_progress(Progress progress) override;
  std::vector<DeviceInKernelTime> in_kernel_time() const override;
  std::string one_lane_because() const override;
  const RunRecord* record() const override;
  void finish() override;
  std::vector<ObserverNote> observer_notes() const override;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace tributary
