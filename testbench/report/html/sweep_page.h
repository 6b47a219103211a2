#pragma once
/// A sweep's table as an HTML page with a chart of selectable axes.

#include <string>

#include "testbench/report/plot/csv_table.h"
#include "testbench/report/plot/plot_data.h"

namespace tributary::html {

/// Returns the page. `title`: page title. The chart is drawn by the embedded uPlot; the table below it needs no script.
std::string sweep_page(const plot::CsvTable& results, const std::string& title);
/// `choice`: initially selected columns; lines are distinguished by `by` and `facet`.
std::string sweep_page(const plot::CsvTable& results, const std::string& title, const plot::PlotChoice& choice);

}  // namespace tributary::html
