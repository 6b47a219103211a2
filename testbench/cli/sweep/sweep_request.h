#pragma once
/// The request of `tributary sweep`.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "testbench/cli/sweep/sweep_points.h"
#include "testbench/cli/sweep/sweep_shard.h"

namespace tributary {

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
  bool energy = false;     ///< adds columns of energy and area to the table
  Sweep::Renamed renamed;  ///< run: parameters that its points set by old names

  /// Returns true if this command runs all points and so writes the table of results.
  bool whole() const { return !index && !shard; }
  bool holds(std::size_t point) const { return index ? index->holds(point) : !shard || shard->holds(point); }
};

/// The options of `sweep` as texts: `out`, `jobs`, `index`, `shard`, `emit` with a value, `list`, `join`, `energy`, `quiet`
/// as flags.
using SweepOptions = std::map<std::string, std::string>;
/// Checks all points that the command runs. Reads `environment` only for `shard` = `auto`. Throws InputError.
SweepRequest make_sweep_request(const std::string& file, const SweepOptions& options, const Environment& environment);

}  // namespace tributary
