#pragma once
/// FluidSession: a run by flows. It simulates no packets and moves no data.

#include <memory>
#include <vector>

#include "testbench/run/completion.h"
#include "testbench/run/driver.h"
#include "testbench/run/fluid_lowering.h"
#include "testbench/run/runner.h"

namespace tributary {

class FluidSession : public Runner {
 public:
  /// Throws SetupError on features that flows do not have (data, faults, waveforms), and on jobs that they do not support.
  explicit FluidSession(const RunSpec& spec);

  std::vector<ResultRow> run(std::size_t number) override;
  KernelUse kernel() const override;
  const RunParameters& parameters() const override { return params_; }

 private:
  void check_memory_of_flows() const;

  RunSpec spec_;
  RunParameters params_;
  Completion completion_;
  std::unique_ptr<Driver> driver_;
  std::unique_ptr<FluidLowering> lowering_;
  BottleneckFinder bottlenecks_;  ///< considers links alone, because there are no probes
  double cpu_start_;
  std::uint64_t events_ = 0;
};

}  // namespace tributary
