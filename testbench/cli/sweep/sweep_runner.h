#pragma once

#include <list>
#include <memory>
#include <string>
#include <vector>

#include "testbench/cli/sweep/sweep_folder.h"
#include "testbench/report/sweep_progress.h"
#include "testbench/report/sweep_table.h"

namespace tributary {

/// Runs what is not finished, up to `jobs` points at once, and keeps the joined table up to date. Ctrl-C ends the points
/// that run and keeps those that are finished.
class SweepRunner {
 public:
  /// Reads what is finished, and writes the joined table of it (not with --index or --shard).
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

  void keep(std::size_t index, const nlohmann::ordered_json& document);
  void start();
  /// Takes the points that have ended; false when none has.
  bool collect();
  void end(const Running& running, const ProcessEnd& end);
  void write_table(bool now);
  std::vector<std::string> values(std::size_t index) const;

  const SweepRequest& request_;
  const SweepFolder& folder_;
  SweepTable table_;
  SweepProgress progress_;
  SweepCount count_;
  std::list<std::size_t> waiting_;
  std::list<Running> running_;
  double written_s_ = -1;
  bool stopping_ = false;
};

}  // namespace tributary
