#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "testbench/cli/sweep/point_process.h"
#include "testbench/cli/sweep/sweep_request.h"

namespace tributary {

/// Returns true for the status of a run that did not finish, and that another run would only repeat: a deadlock, a time
/// limit and others.
bool stuck_status(const std::string& status);

/// The files of a sweep: `points/ID.json` for each finished point, which is complete or absent, and `results.csv` of all
/// points. `points/ID.log` holds the standard error of a failed point.
class SweepFolder {
 public:
  explicit SweepFolder(std::string path) : path_(std::move(path)) {}

  /// Creates the folders. Throws InputError.
  void create() const;
  std::string stem(const SweepPoint& point) const { return path_ + "/points/" + point.id; }
  std::string table() const { return path_ + "/results.csv"; }
  /// Returns the results of a point, or nothing if it has not finished.
  std::optional<nlohmann::ordered_json> finished(const SweepPoint& point) const;
  /// Returns true if the file of a point's results exists, complete or not.
  bool has_file(const SweepPoint& point) const;
  /// Adopts the results of a process that ran to its end: done, wrong, stuck or at its time limit. Otherwise returns
  /// nothing.
  std::optional<nlohmann::ordered_json> take(const SweepPoint& point, const PointProcess& process,
                                             const ProcessEnd& end) const;
  /// Removes the files of a process.
  void forget(const PointProcess& process) const;
  /// Returns the reason why a process did not finish, one line.
  std::string complaint(const PointProcess& process, const ProcessEnd& end) const;

 private:
  std::string path_;
};

}  // namespace tributary
