#pragma once
/// An exploration as an HTML page: points as a scatter, parallel coordinates and a table, linked by a selection.

#include <string>

#include "testbench/report/explore/explore_report.h"

namespace tributary::html {

/// Rows of the table that needs no script; a larger exploration has the front and the first points there.
constexpr std::size_t most_static_rows = 2000;

std::string explore_page(const ExploreReport& report);

}  // namespace tributary::html
