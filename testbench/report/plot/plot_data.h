#pragma once
/// From a table of results to a chart: which rows are points, and of which line in which panel.

#include <string>

#include "testbench/report/plot/chart.h"
#include "testbench/report/plot/csv_table.h"

namespace tributary::plot {

/// Columns by name; empty: none.
struct PlotChoice {
  std::string x, y;
  std::string by;         ///< a line for each of its values
  std::string facet;      ///< a panel for each of its values
  std::string mean_over;  ///< rows that differ in it are one point: their mean, with a bar from least to greatest
  bool log_x = false, log_y = false;
  bool bound = false;  ///< what the links allow: a dashed line from the column bound_GBps
};

/// A row whose status is not `done`, or without a number in y, is a gap. Throws InputError: columns that are not there, text
/// where a number is expected, several rows for one point. `measured` (null: none): points with the same columns x and y
/// and, where it has them, `by`, `facet` and `source`.
Chart make_chart(const CsvTable& results, const PlotChoice& choice, const CsvTable* measured);

}  // namespace tributary::plot
