#pragma once
/// SweepPage: the table of a sweep as a page with a chart whose axes are chosen there.

#include <string>

#include "testbench/report/plot/csv_table.h"
#include "testbench/report/plot/plot_data.h"

namespace tributary::html {

/// `title`: of the page. The chart is drawn by uPlot, which stands in the page; the table below it needs no script.
std::string sweep_page(const plot::CsvTable& results, const std::string& title);
/// The chart begins with these columns.
std::string sweep_page(const plot::CsvTable& results, const std::string& title, const plot::PlotChoice& choice);

}  // namespace tributary::html
