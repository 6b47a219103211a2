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

/// Return SVG with a time axis below.
std::string draw_strips(const std::vector<Strip>& strips, const TimeScale& scale, const std::string& about);
std::string draw_lanes(const std::vector<Lane>& lanes, const TimeScale& scale, const std::string& about);

}  // namespace tributary::html
