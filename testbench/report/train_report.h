#pragma once
/// What `tributary train` prints and writes.

#include <ostream>
#include <string>

#include "testbench/run/training/memo_transfers.h"
#include "testbench/workload/training/step_report.h"
#include "testbench/workload/training/train_step.h"

namespace tributary {

struct TrainResult {
  const RunSpec& spec;  ///< of the platform; its first job has the ranks and the method
  const training::TrainParams& params;
  const training::TrainStep& step;
  const training::StepReport& report;
  const std::vector<MemoTransfer>& transfers;  ///< that were measured alone
  Tick alone = 0;                              ///< an iteration without communication, ps
  const RunParameters& parameters;             ///< of the platform, without automatic values
  KernelUse kernel;
  bool full = false;                ///< the devices have carried out the graph
  bool slowed = false;              ///< operations in flight at once have slowed each other
  std::vector<LinkUse> links = {};  ///< of the whole step, those that were used
  std::optional<Limit> communication = {};  ///< what bounds it

  /// Samples or tokens of all ranks in a second, when an iteration takes so long.
  double rate(Tick iteration) const;
  /// Empty: exact. Else why times of transfers that are measured alone are an estimate.
  std::string estimate() const;
};

/// A row for each iteration, what the critical path consists of, the layers with the least slack, a sentence.
void print_training(std::ostream& out, const TrainResult& result, std::size_t width = 0);
/// The same and all that it follows from, as JSON.
std::string training_json(const TrainResult& result);
/// A row for each iteration.
std::string training_csv(const TrainResult& result);
/// The transfers of a step that takes so long, on each link: utilisation is of that time.
std::vector<LinkUse> links_of(const std::vector<MemoTransfer>& transfers, Tick end);

}  // namespace tributary
