#pragma once
/// Reads figure files, charts as JSON that `tributary plot` draws (docs/plots.md#figure-files).

#include <string>

#include "testbench/report/plot/chart.h"

namespace tributary::plot {

/// Reads a file of at most 64 MiB. Throws InputError (one line that begins with FILE, or with FILE and the position
/// within it).
Chart read_figure(const std::string& file);
/// Parses a text; `file` is its name in errors.
Chart parse_figure(const std::string& text, const std::string& file);

}  // namespace tributary::plot
