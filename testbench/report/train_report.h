#pragma once
/// The outputs of `tributary train`.

#include <ostream>
#include <string>

#include "testbench/run/energy/energy.h"
#include "testbench/run/training/isolated_transfers.h"
#include "testbench/workload/training/operations_in_flight.h"
#include "testbench/workload/training/step_report.h"
#include "testbench/workload/training/train_step.h"

namespace tributary {

/// Iterations by two other rules for operations that meet, if measured transfers slow each other.
struct EstimateSpread {
  Tick shortest = 0, longest = 0;
  std::string no_full;  ///< why the devices did not execute the step
};

/// A step by one algorithm, for comparison with another.
struct AlgorithmStep {
  std::string algorithm;
  training::IterationReport iteration = {};  ///< the last one; empty unless the step is done
  Tick period = 0;                           ///< time of an iteration in the steady state
  std::optional<EstimateSpread> spread = {};
  Status status = Status::done;
  std::string cause = {};
};

/// Pairs of transfers that met in the run of a step, and those of them that were measured together.
struct PairCount {
  std::size_t met = 0, measured = 0;
  bool all() const { return met > 0 && measured == met; }
};

struct TrainResult {
  const RunSpec& spec;  ///< spec of the platform; its first job has the ranks and the algorithm
  const training::TrainParams& params;
  const training::TrainStep& step;
  const training::StepReport& report;
  const std::vector<IsolatedTransfer>& transfers;  ///< measured separately
  Tick alone = 0;                                  ///< duration of an iteration without communication [ps]
  const RunParameters& parameters;                 ///< parameters of the platform, without automatic values
  KernelUse kernel;
  bool full = false;                             ///< true: the devices executed the graph
  bool slowed = false;                           ///< true: simultaneous operations have slowed each other
  training::OperationsInFlight in_flight = {};   ///< how operations met
  std::optional<EstimateSpread> spread = {};     ///< set if operations have slowed each other
  std::vector<LinkUse> links = {};               ///< links used during the whole step
  std::optional<Bottleneck> communication = {};  ///< its bottleneck
  Status status = Status::done;                  ///< otherwise `report` is empty, and `transfers` has those that have ended
  std::optional<Energy> energy = {};             ///< communication of a mean iteration; empty: not modelled
  AreaReport area = {};                          ///< area of a device; no values: not modelled
  double energy_seconds = 0;                     ///< mean time of an iteration
  bool prints_energy = false;
  std::string cause = {};                   ///< cause of a step that did not end, and all that waits
  std::vector<AlgorithmStep> against = {};  ///< the same step by other algorithms
  PairCount pairs = {};

  /// Returns the operations of the model per second over the peak of all ranks (MFU); nothing for a graph, and without a
  /// peak.
  std::optional<double> use_of_peak(Tick iteration) const;
  /// Returns samples or tokens of all ranks per second for the given duration of an iteration.
  double rate(Tick iteration) const;
  /// Returns an empty text if the result is exact; otherwise the reason why separately measured transfers only give an
  /// estimate.
  std::string estimate() const;
};

/// Prints one row per iteration, the composition of the critical path, the layers with the least slack, and a
/// conclusion.
void print_training(std::ostream& out, const TrainResult& result, std::size_t width = 0);
/// Returns the results and all data they are derived from as JSON.
std::string training_json(const TrainResult& result);
/// Returns one row per iteration as CSV. A step that did not end has one row, with its status alone.
std::string training_csv(const TrainResult& result);
/// Returns the traffic of a step of duration `end` on each link; utilisation is relative to this time.
std::vector<LinkUse> links_of(const std::vector<IsolatedTransfer>& transfers, Tick end);

}  // namespace tributary
