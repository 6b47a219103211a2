#pragma once
/// Strips over the time of a run: one row per device or link, shaded by its activity.

#include <cstdint>
#include <string>
#include <vector>

#include "modules/base/units.h"

namespace tributary::html {

struct Strip {
  std::string name;
  std::string about;           ///< shown on hovering
  std::vector<double> shares;  ///< 0 to 1, by stretch; 0 stays empty
};

/// A coloured interval of a lane.
struct LanePart {
  Tick from = 0, to = 0;
  std::size_t colour = 0;
};
struct Lane {
  std::string name, about;
  std::vector<LanePart> parts;
};

/// The time axis of all pictures of a run: its length, and the length and number of stretches.
struct TimeScale {
  Tick length = 1, stretch = 1;
  std::size_t stretches = 1;
};

/// The columns of all pictures over time, in pixels, so that equal times are above each other: names or values, the time
/// axis, and its unit.
struct TimeColumns {
  static constexpr double names = 250, axis = 768, unit = 60, all = names + axis + unit;
};

/// A unit in which the length of a run has a readable number of digits.
struct TimeUnit {
  const char* name;
  double picoseconds;
};
TimeUnit unit_of(Tick length);

/// Return SVG with a time axis below, which script/curves.js zooms together with the curves.
std::string draw_strips(const std::vector<Strip>& strips, const TimeScale& scale, const std::string& about);
std::string draw_lanes(const std::vector<Lane>& lanes, const TimeScale& scale, const std::string& about);

}  // namespace tributary::html
