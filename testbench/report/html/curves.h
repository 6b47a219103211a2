#pragma once
/// Curves over the time of a run: a drawing, in whose place a browser puts a chart that zooms (script/curves.js).

#include <string>
#include <utility>
#include <vector>

#include "testbench/report/html/strips.h"

namespace tributary::html {

/// `lines`: name, and a value for each stretch. `title`: of the values' axis.
std::string draw_curves(const std::string& title, const std::vector<std::pair<std::string, std::vector<double>>>& lines,
                        const TimeScale& scale);
/// What draws the charts: once, behind all curves of a page.
std::string curves_scripts();

}  // namespace tributary::html
