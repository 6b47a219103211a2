#pragma once
/// What `tributary sweep` was asked to do.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "testbench/cli/requests/run_request.h"
#include "testbench/cli/requests/train_request.h"
#include "testbench/cli/sweep/sweep_shard.h"

namespace tributary {

/// One run of a sweep, or one training.
struct SweepPoint {
  std::string id;                              ///< 16 hexadecimal digits of all that bears on its results
  std::map<std::string, std::string> content;  ///< options and parameters that the file sets
  RunRequest request;
  std::optional<TrainRequest> training;  ///< then `request` is its run
};

struct Sweep {
  std::vector<std::string> axes;  ///< lists in the order of the file, then what else differs between points
  std::vector<SweepPoint> points;

  /// Value of an axis; what the point's document says instead when the axis stands in another; empty when it says nothing.
  static std::string value(const SweepPoint& point, const std::string& axis);
};

enum class SweepAction : std::uint8_t { run, list, join, emit };

/// Points from the first to the last.
struct PointRange {
  std::size_t first = 0, last = 0;
  bool holds(std::size_t point) const { return first <= point && point <= last; }
};

struct SweepRequest {
  Sweep sweep;
  std::string file;
  std::string page;    ///< of the table, for a browser; empty: none
  std::string folder;  ///< of results; may be empty for a list
  SweepAction action = SweepAction::run;
  std::string scheduler;            ///< emit: for which a script is printed
  std::size_t jobs = 1;             ///< points at once
  std::optional<PointRange> index;  ///< these points alone
  std::optional<SweepShard> shard;  ///< these points alone
  bool quiet = false;

  /// The table of all results is this command's to write: it has all points.
  bool whole() const { return !index && !shard; }
  bool holds(std::size_t point) const { return index ? index->holds(point) : !shard || shard->holds(point); }
};

/// Reads a sweep and checks every point as a run would, except what only the elaborated platform knows. Throws InputError.
Sweep make_sweep(const std::string& file);

/// The options of `sweep` as texts: `out`, `jobs`, `index`, `shard`, `emit` with a value, `list`, `join`, `quiet` as flags.
using SweepOptions = std::map<std::string, std::string>;
/// `environment` is asked for `shard` = `auto` alone. Throws InputError.
SweepRequest make_sweep_request(const std::string& file, const SweepOptions& options, const Environment& environment);

}  // namespace tributary
