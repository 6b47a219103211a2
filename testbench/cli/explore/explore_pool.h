#pragma once
/// ExplorePool: runs the points of a search as points of a sweep, each in a process of its own.

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "testbench/cli/explore/explore_model.h"
#include "testbench/cli/explore/explore_runs.h"
#include "testbench/explore/run_costs.h"
#include "testbench/run/energy/prices.h"

namespace tributary {

/// A point that has been evaluated.
struct ExploredPoint {
  explore::Candidate candidate;
  explore::Score score;
  std::size_t generation = 0;                 ///< number of the search's question, from 0
  std::string ids;                            ///< points of its runs, joined by `+`; empty for a point that needed no run
  std::vector<std::string> bottlenecks = {};  ///< one line for each workload
  double spread = 0;  ///< largest difference between seeds, relative to the mean, over all objectives
};

class ExplorePool {
 public:
  ExplorePool(ExploreModel& model, const SweepFolder& folder, const ExploreRunOptions& options, bool quiet);

  /// Returns the scores of all candidates, or nothing if the search ended early. `generation`: number of the search's
  /// question, from 0.
  std::optional<std::vector<explore::Score>> run(const std::vector<explore::Candidate>& candidates, std::size_t generation);

  /// Returns all points so far, in the order of their evaluation.
  const std::vector<ExploredPoint>& points() const { return points_; }
  /// Returns the cause of an early end: `budget`, `interrupted` or `missing`; empty if there is none.
  const std::string& ended() const { return runs_.ended(); }

  /// Candidates of the last question that have no results.
  const std::vector<explore::Candidate>& missing() const { return missing_; }
  /// Returns the number of the last question.
  std::size_t generation() const { return generation_; }
  /// Returns `generation 3: 7 of 24 points missing`.
  std::string missing_text() const;
  /// Returns the ids of the runs of a candidate of the last question, joined by `+`.
  std::string ids_of(const explore::Candidate& candidate) const;

 private:
  using Json = nlohmann::ordered_json;
  using Key = std::tuple<std::size_t, std::size_t, explore::Point>;
  struct Planned {
    explore::Candidate candidate;
    std::vector<std::vector<std::string>> ids;  ///< by seed and workload
    std::string refused;                        ///< reason why it cannot run
    std::vector<PriceParams> prices;            ///< by workload
  };

  static Key key_of(const explore::Candidate& candidate) { return {candidate.rung, candidate.change, candidate.point}; }
  Planned queue_runs(const explore::Candidate& candidate, std::size_t number);
  std::size_t kind_of(const explore::Candidate& candidate, std::size_t workload) const;
  void store_costs();
  std::optional<ExploredPoint> evaluated(const Planned& planned) const;
  explore::Score score_of(const Planned& planned, const std::vector<std::string>& ids) const;
  explore::Evaluation value_of(const std::string& name, const Planned& planned, const ExploreResults& results) const;
  void show_progress(std::size_t to_do) const;

  ExploreModel& model_;
  ExploreRuns runs_;
  explore::RunCosts costs_;
  bool show_;
  std::vector<Planned> planned_;      ///< new candidates of the last question
  std::map<Key, std::size_t> known_;  ///< index of `points_`
  std::vector<ExploredPoint> points_;
  std::vector<explore::Candidate> missing_;
  std::size_t generation_ = 0, whole_ = 0;
};

}  // namespace tributary
