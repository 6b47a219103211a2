#pragma once
/// Curves over the time of a run: a static drawing that script/curves.js replaces by a zoomable chart.

#include <string>
#include <utility>
#include <vector>

#include "testbench/report/html/strips.h"

namespace tributary::html {

/// Draws curves. `lines`: name, and one value per stretch. `title`: title of the value axis.
std::string draw_curves(const std::string& title, const std::vector<std::pair<std::string, std::vector<double>>>& lines,
                        const TimeScale& scale);
/// Returns the scripts that draw the charts; to be placed once, after all curves of a page.
std::string curves_scripts();

}  // namespace tributary::html
