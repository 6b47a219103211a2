#include "testbench/cli/plot_command.h"

#include <iostream>
#include <optional>

#include "testbench/cli/exit_code.h"
#include "testbench/report/result_file.h"

namespace tributary {
namespace {

std::size_t count_lines(const plot::Chart& chart) {
  std::size_t lines = 0;
  for (const plot::ChartPanel& panel : chart.panels)
    for (const plot::ChartSeries& series : panel.series) lines += series.kind == plot::SeriesKind::line ? 1 : 0;
  return lines;
}

}  // namespace

int plot_command(const PlotRequest& request) {
  const plot::CsvTable results = plot::CsvTable::read(request.results);
  std::optional<plot::CsvTable> measured;
  if (!request.measured.empty()) measured = plot::CsvTable::read(request.measured);
  const plot::Chart chart = plot::make_chart(results, request.choice, measured ? &*measured : nullptr);
  const plot::ChartDrawing drawing = plot::draw(chart);
  const std::string about = request.choice.y + " over " + request.choice.x;
  const std::string text = drawing.svg.document(drawing.width, drawing.height, about);
  if (request.drawing == "-") {
    std::cout << text;
    return exit_done;
  }
  replace_file(request.drawing, text);
  std::cout << about << ": " << results.rows() << " rows, " << chart.panels.size()
            << (chart.panels.size() == 1 ? " panel, " : " panels, ") << count_lines(chart)
            << (count_lines(chart) == 1 ? " line" : " lines") << "; drawn in " << request.drawing << "\n";
  return exit_done;
}

}  // namespace tributary
