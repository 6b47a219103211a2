#pragma once
/// ExploreModel: the file of an exploration with its expressions and values checked, and the settings of each run.

#include <memory>
#include <vector>

#include "testbench/cli/explore/explore_fields.h"
#include "testbench/cli/explore/explore_file.h"
#include "testbench/cli/sweep/sweep_points.h"
#include "testbench/explore/problem.h"

namespace tributary {

class ExploreModel {
 public:
  /// Throws InputError with file and line.
  explicit ExploreModel(ExploreFile file);

  const ExploreFile& file() const { return file_; }
  const ExploreFields& fields() const { return *fields_; }
  const explore::Problem& problem() const { return *problem_; }
  const std::optional<explore::Point>& baseline() const { return baseline_; }
  /// Returns true if an expression names energy or area, which are computed from results and prices.
  bool names_energy() const;
  /// Returns the run of a workload at a candidate. Throws an exception of one line if `run` refuses it.
  std::pair<SweepPoint, PointRun> run_of(const explore::Candidate& candidate, std::size_t workload, std::size_t seed);

  /// Returns the parameters that variables, derived values and workloads set.
  std::vector<std::string> chosen_parameters() const;
  /// Sets the parameters of Candidate::change with their values.
  void set_changes(std::vector<std::pair<std::string, std::string>> changes) { changes_ = std::move(changes); }
  /// Returns the command line of each workload at a candidate.
  std::vector<std::string> commands_of(const explore::Candidate& candidate) const;

 private:
  Settings settings_of(const explore::Candidate& candidate, std::size_t workload, std::size_t seed) const;
  PointRun accepted_run(std::size_t workload, std::size_t rung = 0);
  void check_runs_of_rungs();
  void check_values();
  void derive();
  void check_rungs() const;

  ExploreFile file_;
  std::shared_ptr<ExploreFields> fields_;
  std::shared_ptr<explore::Problem> problem_;
  std::optional<explore::Point> baseline_;
  std::vector<std::pair<std::string, std::string>> changes_;
  InputFiles files_;
};

}  // namespace tributary
