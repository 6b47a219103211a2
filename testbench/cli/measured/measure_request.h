#pragma once
/// The request of `run --bottleneck measured`: reruns with parameters moved.

#include <cstddef>
#include <optional>
#include <string>

#include "modules/base/units.h"
#include "testbench/cli/requests/settings.h"

namespace tributary {

struct MeasureRequest {
  /// A run that takes longer is only measured with a budget that the user sets.
  static constexpr double longest_run_s = 20;

  Settings settings;     ///< the run, without outputs and data
  double budget_s = 60;  ///< clock time of the reruns
  bool budget_given = false;
  std::size_t jobs = 1;  ///< reruns that run in parallel
  std::string drawing;   ///< SVG file of the gains; empty: none
  bool quiet = false;
};

/// Returns the settings of a run that affect its time: without outputs, checked data and the options of the search.
Settings timing_settings(Settings settings);

/// Interprets `bottleneck`, `budget`, `jobs` and `bottleneck-svg`; nothing without `--bottleneck measured`. Throws
/// InputError.
std::optional<MeasureRequest> make_measure_request(const Settings& settings);

/// Reads `budget` and `jobs` into a request. Throws InputError.
void set_effort(const Settings& settings, MeasureRequest& request);

}  // namespace tributary
