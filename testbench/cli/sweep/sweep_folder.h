#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "testbench/cli/sweep/point_process.h"
#include "testbench/cli/sweep/sweep_request.h"

namespace tributary {

/// Whether a run with that status would only stick again.
bool stuck_status(const std::string& status);

/// The files of a sweep: `points/ID.json` for each finished point, whole or not there, and `results.csv` of all of them.
/// `points/ID.log` is what a failed point said.
class SweepFolder {
 public:
  explicit SweepFolder(std::string path) : path_(std::move(path)) {}

  /// Makes the folders. Throws InputError.
  void create() const;
  std::string stem(const SweepPoint& point) const { return path_ + "/points/" + point.id; }
  std::string table() const { return path_ + "/results.csv"; }
  /// The results of a finished point; nothing when it has not run, or not to its end.
  std::optional<nlohmann::ordered_json> finished(const SweepPoint& point) const;
  /// There is a file of its results, finished or not.
  bool has_file(const SweepPoint& point) const;
  /// Takes over what a process leaves, when it has run to its end: done, wrong, stuck or at its time limit. Else nothing.
  std::optional<nlohmann::ordered_json> take(const SweepPoint& point, const PointProcess& process,
                                             const ProcessEnd& end) const;
  /// Removes what a process has written.
  void forget(const PointProcess& process) const;
  /// One line of why a process did not finish.
  std::string complaint(const PointProcess& process, const ProcessEnd& end) const;

 private:
  std::string path_;
};

}  // namespace tributary
