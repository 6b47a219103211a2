#pragma once

#include <list>
#include <memory>
#include <string>
#include <vector>

#include "testbench/cli/sweep/shared_searches.h"
#include "testbench/cli/sweep/sweep_folder.h"
#include "testbench/report/sweep_progress.h"
#include "testbench/report/sweep_table.h"

namespace tributary {

/// Runs the points that are not finished, up to `jobs` in parallel, and keeps the joined table up to date. Ctrl-C ends the
/// running points and keeps the finished ones.
class SweepRunner {
 public:
  /// Reads the finished points and writes their joined table (not with --index or --shard).
  SweepRunner(const SweepRequest& request, const SweepFolder& folder);

  void run();
  const SweepCount& count() const { return count_; }
  std::size_t wrong() const { return count_.wrong; }
  std::size_t stuck() const { return count_.stuck; }
  int exit_code() const;

 private:
  struct Running {
    std::size_t index;
    PointProcess process;
  };

  void keep(std::size_t index, const SweepPoint& point, const nlohmann::ordered_json& document);
  void start();
  /// Adopts the points that have ended. Returns false if there are none.
  bool collect();
  void end(const Running& running, const ProcessEnd& end);
  void write_table(bool now);
  std::vector<std::string> values(const SweepPoint& point) const;

  const SweepRequest& request_;
  const SweepFolder& folder_;
  SharedSearches searches_;
  SweepTable table_;
  SweepProgress progress_;
  SweepCount count_;
  std::list<std::size_t> waiting_;
  std::list<Running> running_;
  double written_s_ = -1;
  bool stopping_ = false;
};

}  // namespace tributary
