#include "testbench/cli/commands/plot_command.h"

#include <iostream>
#include <optional>

#include "testbench/cli/exit_code.h"
#include "testbench/report/html/compare_page.h"
#include "testbench/report/html/sweep_page.h"
#include "testbench/report/plot/figure_file.h"
#include "testbench/report/result_file.h"

namespace tributary {
namespace {

std::size_t count_series(const plot::Chart& chart, plot::SeriesKind kind) {
  std::size_t count = 0;
  for (const plot::ChartPanel& panel : chart.panels)
    for (const plot::ChartSeries& series : panel.series) count += series.kind == kind ? 1 : 0;
  return count;
}

std::string counted(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

/// Returns `2 lines`, `1 series of bars` or `12 cells`.
std::string contents(const plot::Chart& chart) {
  std::size_t cells = 0;
  for (const plot::ChartPanel& panel : chart.panels) cells += panel.cells.size();
  if (cells > 0) return counted(cells, "cell");
  const std::size_t lines = count_series(chart, plot::SeriesKind::line), bars = count_series(chart, plot::SeriesKind::bars);
  return lines == 0 && bars > 0 ? std::to_string(bars) + " series of bars" : counted(lines, "line");
}

int compare_runs(const PlotRequest& request) {
  const html::ComparedRun a = html::read_compared_run(request.compared[0]), b = html::read_compared_run(request.compared[1]);
  replace_file(request.page, html::compare_page(a, b));
  std::cout << a.file << " and " << b.file << ": a page in " << request.page << "\n";
  return exit_done;
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
  const plot::PlotChoice& choice = request.choice;
  const std::string about =
      choice.heat.empty() ? choice.y + " over " + choice.x : choice.heat + " over " + choice.x + " and " + choice.y;
  return {plot::make_chart(results, choice, measured ? &*measured : nullptr), about,
          std::to_string(results.rows()) + " rows, "};
}

}  // namespace

int plot_command(const PlotRequest& request) {
  if (!request.compared.empty()) return compare_runs(request);
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
            << contents(subject.chart) << "; drawn in " << request.drawing << "\n";
  return exit_done;
}

}  // namespace tributary
