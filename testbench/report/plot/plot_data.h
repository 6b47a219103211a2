#pragma once
/// Builds a chart from a table of results: assigns rows to points, lines and panels.

#include <string>

#include "testbench/report/plot/chart.h"
#include "testbench/report/plot/csv_table.h"

namespace tributary::plot {

/// Selected columns by name; empty: none.
struct PlotChoice {
  std::string x, y;
  std::string heat;       ///< heat map: value of the cells; y is then the column of the other axis
  std::string by;         ///< one line per value of this column
  std::string facet;      ///< one panel per value of this column
  std::string mean_over;  ///< rows that differ in this column are one point: their mean, with a bar from minimum to maximum
  bool log_x = false, log_y = false;
  bool log_heat = false;  ///< colours of a heat map are logarithmic
  bool bound = false;     ///< draw the bound given by the links as a dashed line, from the column bound_GBps
};

/// Builds the chart: lines or, over names, bars; with `heat`, a heat map. On a logarithmic
/// scale, a cell at or below 0 has no colour. A row whose status is not `done`, or without a
/// number in y, is a gap. `measured` (may be null): points with the same columns x and y and, optionally, `by`, `facet` and
/// `source`. Throws InputError for missing columns, text instead of a number, and several rows for one point.
Chart make_chart(const CsvTable& results, const PlotChoice& choice, const CsvTable* measured);

}  // namespace tributary::plot
