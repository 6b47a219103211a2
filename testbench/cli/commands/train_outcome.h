#pragma once
/// The simulation of a training step by one algorithm.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "testbench/cli/requests/train_request.h"
#include "testbench/report/train_report.h"
#include "testbench/run/energy/step_energy.h"
#include "testbench/run/runner.h"
#include "testbench/run/training/measured_pairs.h"
#include "testbench/run/training/step_run.h"
#include "testbench/workload/training/ideal_run.h"

namespace tributary {

/// Results of a step in either fidelity.
struct TrainOutcome {
  bool full = false;
  std::optional<training::IdealRun> run;  ///< empty if the step did not end
  std::vector<IsolatedTransfer> transfers;
  RunParameters parameters;
  KernelUse kernel;
  std::vector<LinkUse> links;
  std::optional<Bottleneck> communication;
  std::vector<ObserverNote> observer_notes;
  Status status = Status::done;
  std::string cause = {};
  std::optional<EstimateSpread> spread = {};
  StepEnergy energy = {};
  PairCount pairs = {};
};

/// Returns the outcome of a step whose machine does not fit into memory.
TrainOutcome no_machine(const TrainRequest& request);

/// Runs the graph with these times of its transfers.
training::IdealRun carry_out(const training::TrainStep& step,
                             std::function<training::TransferTime(const training::Task&)> transfer, unsigned memory_share,
                             std::size_t links = 0, training::Sharing sharing = training::Sharing::fair,
                             training::PairRule* pairs = nullptr);

/// A step before its run. Several steps of a process are constructed first, then all are elaborated, then they run.
class PreparedStep {
 public:
  /// Builds the graph. `request` must outlive this object. Throws InputError.
  explicit PreparedStep(const TrainRequest& request);

  /// Elaborates the platforms. Throws InputError.
  void elaborate();
  /// Runs the step. If the ranks of a stage prove to be unlike, runs the graph of all ranks.
  TrainOutcome run();

  const training::TrainStep& step() const { return step_; }
  /// Returns one line for each size of groups that run by another algorithm than the requested one.
  std::vector<std::string> notes() const { return algorithms().notes(); }
  /// Returns the reason, found at elaboration, why a run uses one thread; empty if there is none.
  std::string one_lane_because() const { return transfers_ ? transfers_->one_lane_because() : devices_->one_lane_because(); }

 private:
  const GraphAlgorithms& algorithms() const { return transfers_ ? transfers_->algorithms() : devices_->algorithms(); }
  void make_transfers();
  bool use_all_ranks();
  TrainOutcome run_transfers();
  void start_pairs();
  void use_pairs(TrainOutcome& outcome);

  const TrainRequest& request_;
  training::TrainStep step_;
  bool meets_ = false;   ///< operations may be in flight simultaneously
  std::string refusal_;  ///< why devices do not execute the step
  std::unique_ptr<IsolatedTransfers> transfers_;
  std::unique_ptr<StepRun> devices_;
  std::unique_ptr<PairProcess> pair_process_;  ///< null: pairs are not measured
};

}  // namespace tributary
