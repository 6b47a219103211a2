#pragma once
/// FluidSession: a run by flows. It simulates no packets and moves no data.

#include <memory>
#include <vector>

#include "testbench/run/completion.h"
#include "testbench/run/driver.h"
#include "testbench/run/fluid_machine.h"
#include "testbench/run/runner.h"

namespace tributary {

namespace collective {
class FluidRun;
}

class FluidSession : public Runner {
 public:
  /// Throws SetupError on features that flows do not have (data, faults, waveforms), and on jobs that they do not support.
  explicit FluidSession(const RunSpec& spec);

  std::vector<ResultRow> run(std::size_t number) override;
  KernelUse kernel() const override;
  const RunParameters& parameters() const override { return params_; }

 private:
  void check_memory_of_flows() const;
  /// Returns the bound of a task. `rows`: those of the tasks before it.
  double bound(const Task& task, const std::vector<ResultRow>& rows);
  /// Activities of a message: from `first` to before `end`.
  struct Activities {
    std::size_t first, end;
  };
  /// Fills in the time of a message and its bottleneck, or the status of activities that wait for each other.
  void fill_end(ResultRow& row, Time start, const collective::FluidRun& run, Activities activities) const;

  RunSpec spec_;
  RunParameters params_;
  Completion completion_;
  std::unique_ptr<FluidMachine> machine_;  ///< null: the driver has the flows
  std::unique_ptr<Driver> driver_;         ///< null: the machine is not elaborated
  std::unique_ptr<FluidLowering> of_driver_;
  FluidLowering* lowering_;
  BottleneckFinder bottlenecks_;  ///< considers links alone, because there are no probes
  double cpu_start_;
  std::uint64_t events_ = 0;
};

}  // namespace tributary
