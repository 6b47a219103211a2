#pragma once
/// ExploreRuns: the runs that an exploration needs, as points of a sweep, each in a process of its own.

#include <functional>
#include <list>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>

#include "testbench/cli/sweep/point_process.h"
#include "testbench/cli/sweep/shared_searches.h"
#include "testbench/cli/sweep/sweep_folder.h"
#include "testbench/cli/sweep/sweep_shard.h"

namespace tributary {

struct ExploreRunOptions {
  std::size_t jobs = 1;             ///< runs in parallel
  double budget_s = 0;              ///< clock time of this call; 0: no limit
  std::optional<SweepShard> share;  ///< other tasks run the other points
  double wait_s = 3600;             ///< clock time without a new result after which a share ends
  bool runs = true;                 ///< false: only finished runs count
  bool keeps_links = false;         ///< documents keep the bytes of links, which energies need
};

class ExploreRuns {
 public:
  using Json = nlohmann::ordered_json;

  ExploreRuns(const SweepFolder& folder, const ExploreRunOptions& options);

  /// Queues a run that is not finished. `number`: place of its point in the question, which decides its share; `cost`:
  /// estimated time.
  void need(SweepPoint point, PointRun run, std::size_t number, const std::optional<double>& cost);
  /// Runs all that is queued, the longest first. `show` prints the progress with the number of runs to do.
  void finish(const std::function<void(std::size_t)>& show);
  /// Returns true if the search ends early: by the budget, by Ctrl-C, or because runs of others are missing.
  bool is_over();
  /// Returns the cause of an early end: budget, interrupted or missing; empty if there is none.
  const std::string& ended() const { return ended_; }
  void end(const std::string& cause) { ended_ = cause; }

  /// Returns the results of a run without histograms; null if it has not finished.
  const Json* document(const std::string& id) const;
  /// Returns the processor time of a run as its results have it; nothing if it has not finished.
  std::optional<double> cpu_s(const std::string& id) const;
  /// Returns the cause of a failure in one line; null if the run has not failed.
  const std::string* failure(const std::string& id) const;

 private:
  struct Waiting {
    SweepPoint point;
    PointRun run;
    bool own = true;               ///< belongs to the share of this task
    std::optional<double> cost;    ///< estimated time
    double after_s = 0;            ///< clock time of the next attempt
    double pause_s = least_pause;  ///< time until the attempt after that
  };
  struct Running {
    Waiting waiting;
    PointProcess process;
  };
  static constexpr double least_pause = 1, most_pause = 30;

  void keep(const std::string& id, const Json& document);
  bool adopt(const SweepPoint& point);
  void stop();
  void start();
  bool collect();
  void finish_one(Running& running, const ProcessEnd& end);
  void retry_later(Waiting waiting);

  const SweepFolder& folder_;
  ExploreRunOptions options_;
  SharedSearches searches_;
  double end_s_, progress_s_ = 0;  ///< clock times; infinite: no limit
  std::list<Waiting> waiting_;
  std::list<Running> running_;
  std::set<std::string> queued_;
  std::map<std::string, Json> documents_;
  std::map<std::string, std::string> failures_;
  std::string ended_;
};

}  // namespace tributary
