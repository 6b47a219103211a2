#pragma once
/// ExplorePool: runs the points of a search as points of a sweep, each in a process of its own.

#include <functional>
#include <list>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "testbench/cli/explore/explore_model.h"
#include "testbench/cli/sweep/point_process.h"
#include "testbench/cli/sweep/sweep_folder.h"

namespace tributary {

/// A point that has been evaluated.
struct ExploredPoint {
  explore::Candidate candidate;
  explore::Score score;
  std::size_t generation = 0;  ///< number of the search's question, from 0
  std::string ids;             ///< points of its runs, joined by `+`; empty for a point that needed no run
  double spread = 0;           ///< largest difference between seeds, relative to the mean, over all objectives
};

class ExplorePool {
 public:
  /// `budget_s`: clock time of this call; 0: no limit.
  ExplorePool(ExploreModel& model, const SweepFolder& folder, std::size_t jobs, double budget_s, bool quiet);

  /// Returns the scores of all candidates, or nothing if the budget or Ctrl-C ended the search.
  /// `generation`: number of the search's question, from 0.
  std::optional<std::vector<explore::Score>> run(const std::vector<explore::Candidate>& candidates, std::size_t generation);

  /// Returns all points so far, in the order of their evaluation.
  const std::vector<ExploredPoint>& points() const { return points_; }
  /// Returns the cause of an early end: `budget` or `interrupted`; empty if there is none.
  const std::string& ended() const { return ended_; }
  /// Returns the number of runs of this call.
  std::size_t runs() const { return runs_; }

 private:
  using Json = nlohmann::ordered_json;
  using Key = std::pair<std::size_t, explore::Point>;
  struct Planned {
    explore::Candidate candidate;
    std::vector<std::vector<std::string>> ids;  ///< by seed and workload
    std::string refused;                        ///< reason why it cannot run
  };
  struct Waiting {
    SweepPoint point;
    PointRun run;
  };
  struct Running {
    SweepPoint point;
    PointRun run;
    PointProcess process;
  };

  Planned queue_runs(const explore::Candidate& candidate);
  void run_waiting();
  bool collect();
  bool is_over();
  void keep(const std::string& id, const Json& document);
  std::optional<ExploredPoint> evaluated(const Planned& planned) const;
  explore::Score score_of(const explore::Candidate& candidate, const std::vector<std::string>& ids) const;
  void show_progress() const;

  ExploreModel& model_;
  const SweepFolder& folder_;
  std::size_t jobs_;
  double end_s_;  ///< clock time; infinite: no limit
  bool show_;
  std::list<Waiting> waiting_;
  std::list<Running> running_;
  std::set<std::string> queued_;
  std::map<std::string, Json> documents_;        ///< without links and histograms
  std::map<std::string, std::string> failures_;  ///< reasons, by id
  std::map<Key, std::size_t> known_;             ///< index of `points_`
  std::vector<ExploredPoint> points_;
  std::size_t generation_ = 0, runs_ = 0;
  std::string ended_;
};

}  // namespace tributary
