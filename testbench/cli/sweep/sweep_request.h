#pragma once
/// The request of `tributary sweep`.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "testbench/cli/requests/run_request.h"
#include "testbench/cli/requests/train_request.h"
#include "testbench/cli/sweep/sweep_shard.h"

namespace tributary {

/// One run of a sweep, with or without training.
struct SweepPoint {
  std::string id;                              ///< 16 hexadecimal digits: a digest of everything that affects the results
  std::map<std::string, std::string> content;  ///< options and parameters that the file sets
  RunRequest request;
  std::optional<TrainRequest> training;  ///< set for a training run; `request` then equals `training->run`
};

struct Sweep {
  std::vector<std::string> axes;  ///< lists in the order of the file, then other differences between points
  std::vector<SweepPoint> points;

  /// Returns the point's value of an axis or setting; empty if the point's document does not set it.
  static std::string value(const SweepPoint& point, const std::string& axis);
};

enum class SweepAction : std::uint8_t { run, list, join, emit };

/// An interval of points, inclusive.
struct PointRange {
  std::size_t first = 0, last = 0;
  bool holds(std::size_t point) const { return first <= point && point <= last; }
};

struct SweepRequest {
  Sweep sweep;
  std::string file;
  std::string page;    ///< web page of the table; empty: none
  std::string folder;  ///< folder of the results; may be empty for a list
  SweepAction action = SweepAction::run;
  std::string scheduler;            ///< emit: scheduler of the script
  std::size_t jobs = 1;             ///< points that run in parallel
  std::optional<PointRange> index;  ///< only these points
  std::optional<SweepShard> shard;  ///< only these points
  bool quiet = false;

  /// Returns true if this command runs all points and so writes the table of results.
  bool whole() const { return !index && !shard; }
  bool holds(std::size_t point) const { return index ? index->holds(point) : !shard || shard->holds(point); }
};

/// Reads a sweep and makes the checks of a run for every point, except those that require the elaborated platform. Throws
/// InputError.
Sweep make_sweep(const std::string& file);

/// The options of `sweep` as texts: `out`, `jobs`, `index`, `shard`, `emit` with a value, `list`, `join`, `quiet` as flags.
using SweepOptions = std::map<std::string, std::string>;
/// Reads `environment` only for `shard` = `auto`. Throws InputError.
SweepRequest make_sweep_request(const std::string& file, const SweepOptions& options, const Environment& environment);

}  // namespace tributary
