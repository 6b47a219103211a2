#pragma once
/// RerunPool: runs the trials of a search as points of a sweep, each in a process of its own.

#include <cstdint>
#include <functional>
#include <list>
#include <string>
#include <utility>
#include <vector>

#include "testbench/cli/measured/measure_request.h"
#include "testbench/cli/requests/input_files.h"
#include "testbench/cli/sweep/point_process.h"
#include "testbench/cli/sweep/shared_searches.h"
#include "testbench/cli/sweep/sweep_folder.h"
#include "testbench/measure/trials.h"

namespace tributary {

class RerunPool final : public measure::TrialRunner {
 public:
  /// `folder` keeps the results by the keys of sweeps: a trial whose point is finished does not run. The budget starts now.
  /// `on_end` is called with the number of trials that have ended.
  RerunPool(const MeasureRequest& request, const SweepFolder& folder, std::function<void(std::size_t)> on_end = {});

  std::vector<measure::Outcome> run(const std::vector<measure::Trial>& trials) override;
  /// Returns the reason why trials did not run: `the budget of 60s ended`; empty if all ran.
  const std::string& ended() const { return ended_; }

 private:
  struct Running {
    std::size_t trial;
    const SweepPoint* point;
    PointProcess process;
  };

  using Point = std::pair<SweepPoint, PointRun>;

  Point point_of(const measure::Trial& trial);
  /// Returns true if no further trial may start.
  bool is_over();
  bool collect(std::vector<measure::Outcome>& outcomes);
  measure::Outcome outcome_of(const Running& running, const ProcessEnd& end);

  const MeasureRequest& request_;
  const SweepFolder& folder_;
  InputFiles files_;  ///< shared by all trials
  SharedSearches searches_;
  std::function<void(std::size_t)> on_end_;
  std::uint64_t seed_ = 1;
  double deadline_s_;
  std::string ended_;
  std::size_t count_ = 0;
  std::list<Running> running_;
};

}  // namespace tributary
