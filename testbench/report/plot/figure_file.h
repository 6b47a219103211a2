#pragma once
/// Figure files: a chart as JSON, of which `tributary plot` makes the drawing (docs/plots.md#figure-files).

#include <string>

#include "testbench/report/plot/chart.h"

namespace tributary::plot {

/// Throws InputError, one line that begins with FILE, or with FILE and the place within it. At most 64 MiB.
Chart read_figure(const std::string& file);
/// `file` is what errors call it.
Chart parse_figure(const std::string& text, const std::string& file);

}  // namespace tributary::plot
