#include "testbench/cli/commands/plot_command.h"

#include <iostream>
#include <optional>

#include "testbench/cli/exit_code.h"
#include "testbench/report/html/sweep_page.h"
#include "testbench/report/plot/figure_file.h"
#include "testbench/report/result_file.h"

namespace tributary {
namespace {

std::size_t count_lines(const plot::Chart& chart) {
  std::size_t lines = 0;
  for (const plot::ChartPanel& panel : chart.panels)
    for (const plot::ChartSeries& series : panel.series) lines += series.kind == plot::SeriesKind::line ? 1 : 0;
  return lines;
}

std::string counted(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

/// The figure to draw.
struct Subject {
  plot::Chart chart;
  std::string about;
  std::string from;  ///< `12 rows, ` for a table
};

Subject subject_of(const PlotRequest& request) {
  if (!request.figure.empty()) {
    Subject subject{plot::read_figure(request.figure), "", ""};
    subject.about = subject.chart.title.empty() ? request.figure : subject.chart.title;
    return subject;
  }
  const plot::CsvTable results = plot::CsvTable::read(request.results);
  std::optional<plot::CsvTable> measured;
  if (!request.measured.empty()) measured = plot::CsvTable::read(request.measured);
  return {plot::make_chart(results, request.choice, measured ? &*measured : nullptr),
          request.choice.y + " over " + request.choice.x, std::to_string(results.rows()) + " rows, "};
}

}  // namespace

int plot_command(const PlotRequest& request) {
  const Subject subject = subject_of(request);
  if (!request.page.empty()) {
    const plot::CsvTable results = plot::CsvTable::read(request.results);
    replace_file(request.page, html::sweep_page(results, subject.about, request.choice));
    if (request.drawing != "-") std::cout << subject.about << ": " << subject.from << "a page in " << request.page << "\n";
    if (request.drawing.empty()) return exit_done;
  }
  const plot::ChartDrawing drawing = plot::draw(subject.chart);
  const std::string text = drawing.svg.document(drawing.width, drawing.height, subject.about);
  if (request.drawing == "-") {
    std::cout << text;
    return exit_done;
  }
  replace_file(request.drawing, text);
  std::cout << subject.about << ": " << subject.from << counted(subject.chart.panels.size(), "panel") << ", "
            << counted(count_lines(subject.chart), "line") << "; drawn in " << request.drawing << "\n";
  return exit_done;
}

}  // namespace tributary
