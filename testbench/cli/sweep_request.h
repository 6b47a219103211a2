#pragma once
/// What `tributary sweep` was asked to do.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "testbench/cli/run_request.h"

namespace tributary {

/// One run of a sweep.
struct SweepPoint {
  std::string id;                              ///< 16 hexadecimal digits of all that bears on its results
  std::map<std::string, std::string> content;  ///< options and parameters that the file sets
  RunRequest request;
};

struct Sweep {
  std::vector<std::string> axes;  ///< lists in the order of the file, then what else differs between points
  std::vector<SweepPoint> points;

  /// Value of an axis; what the point's document says instead when the axis stands in another; empty when it says nothing.
  static std::string value(const SweepPoint& point, const std::string& axis);
};

enum class SweepAction : std::uint8_t { run, list, join };

struct SweepRequest {
  Sweep sweep;
  std::string file;
  std::string folder;  ///< of results; may be empty for a list
  SweepAction action = SweepAction::run;
  std::size_t jobs = 1;              ///< points at once
  std::optional<std::size_t> index;  ///< this point alone
  bool quiet = false;
};

/// Reads a sweep and checks every point as a run would, except what only the elaborated platform knows. Throws InputError.
Sweep make_sweep(const std::string& file);

/// The options of `sweep` as texts: `out`, `jobs`, `index` with a value, `list`, `join`, `quiet` as flags.
using SweepOptions = std::map<std::string, std::string>;
/// Throws InputError.
SweepRequest make_sweep_request(const std::string& file, const SweepOptions& options);

}  // namespace tributary
