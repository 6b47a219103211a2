#include "testbench/report/plot/plot_data.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "modules/base/units.h"
#include "testbench/report/plot/row_reader.h"
#include "testbench/workload/input_error.h"

namespace tributary::plot {
namespace {

ChartPoint point_of(double x, const std::vector<double>& values) {
  ChartPoint point;
  point.x = x;
  if (values.empty()) return point;
  double sum = 0;
  for (const double v : values) sum += v;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  point.y = sum / static_cast<double>(values.size()), point.low = *low, point.high = *high;
  return point;
}

class ChartMaker {
 public:
  ChartMaker(const CsvTable& results, const PlotChoice& choice, const CsvTable* measured) : choice_(choice) {
    RowReader reader(results, choice, names_);
    named_ = reader.named();
    for (const std::size_t row : reader.rows()) {
      const auto panel = place_of(panels_, reader.panel(row)), group = place_of(groups_, reader.group(row));
      reader.add(lines_[{panel, group}], row);
    }
    if (measured != nullptr) read_measured(*measured);
  }

  Chart chart() {
    Chart chart;
    chart.x.title = axis_title(choice_.x), chart.x.logarithmic = choice_.log_x;
    chart.x.bytes = ends_with(choice_.x, "_bytes"), chart.x.names = names_;
    chart.y.title = axis_title(choice_.y), chart.y.logarithmic = choice_.log_y;
    chart.y.from_zero = true, chart.y.margin = choice_.log_y ? 0 : 0.04;
    chart.legend = without_unit(choice_.by);
    if (choice_.log_heat) throw InputError("--log heat: there are no cells to colour (legal: with --heat)");
    if (choice_.log_x && named_) throw InputError("--log: the values of " + choice_.x + " are names (legal: --log y)");
    for (std::size_t p = 0; p < panels_.size(); ++p) {
      ChartPanel panel;
      if (!choice_.facet.empty()) panel.title = choice_.facet + " = " + panels_[p];
      for (const auto& [key, line] : lines_)
        if (key.first == p) add_line(panel, line, key.second);
      if (choice_.bound)
        for (const auto& [key, line] : lines_)
          if (key.first == p) add_bound(panel, line, key.second);
      add_measured(panel, panels_[p]);
      chart.panels.push_back(std::move(panel));
    }
    const bool any = std::any_of(chart.panels.begin(), chart.panels.end(), [](auto& panel) {
      return std::any_of(panel.series.begin(), panel.series.end(), [](auto& series) {
        return std::any_of(series.points.begin(), series.points.end(), [](auto& p) { return p.y.has_value(); });
      });
    });
    if (!any) throw InputError("nothing to draw: no row is done and has both " + choice_.x + " and " + choice_.y);
    return chart;
  }

 private:
  struct Measured {
    std::string panel, group, source;
    double x, y;
  };

  void add_line(ChartPanel& panel, const Line& line, std::size_t group) const {
    ChartSeries series{
        value_label(choice_.by, groups_[group]), named_ ? SeriesKind::bars : SeriesKind::line, series_style(group), {}};
    for (const auto& [x, sample] : line) series.points.push_back(point_of(x, sample.values));
    panel.series.push_back(std::move(series));
  }
  void add_bound(ChartPanel& panel, const Line& line, std::size_t group) const {
    ChartSeries series{groups_[group].empty() ? "bound" : value_label(choice_.by, groups_[group]) + ", bound",
                       SeriesKind::bound,
                       series_style(group),
                       {}};
    for (const auto& [x, sample] : line) series.points.push_back(point_of(x, sample.bounds));
    panel.series.push_back(std::move(series));
  }
  void read_measured(const CsvTable& table) {
    PlotChoice columns;
    columns.x = choice_.x, columns.y = choice_.y;
    if (table.has(choice_.by)) columns.by = choice_.by;
    if (table.has(choice_.facet)) columns.facet = choice_.facet;
    RowReader reader(table, columns, names_);
    if (reader.named() != named_) throw InputError("--measured: " + table.file() + ": " + choice_.x + " has another type");
    for (const std::size_t row : reader.rows()) {
      const auto x = reader.x(row), y = reader.y(row);
      if (!x || !y) continue;
      const std::string source = table.has("source") ? table.cell(row, table.column("source", "")) : "";
      measured_.push_back({reader.panel(row), reader.group(row), source, *x, *y});
    }
  }
  /// Adds measured points to all panels, if the file does not name one.
  void add_measured(ChartPanel& panel, const std::string& facet) const {
    std::map<std::string, ChartSeries> series;
    for (const Measured& m : measured_) {
      if (!m.panel.empty() && m.panel != facet) continue;
      std::string name = value_label(choice_.by, m.group) + (m.group.empty() ? "" : ", ") + "measured" +
                         (m.source.empty() ? "" : ": " + m.source);
      ChartSeries& one = series[name];
      one.name = name, one.kind = SeriesKind::measured, one.style = series_style(colour_of(m.group));
      one.points.push_back(point_of(m.x, {m.y}));
    }
    for (auto& [name, one] : series) panel.series.push_back(std::move(one));
  }
  /// Returns black for a name that no line has.
  std::size_t colour_of(const std::string& group) const {
    const auto found = std::find(groups_.begin(), groups_.end(), group);
    return found == groups_.end() || group.empty() ? 6 : static_cast<std::size_t>(found - groups_.begin());
  }

  const PlotChoice& choice_;
  bool named_ = false;
  std::vector<std::string> names_, panels_, groups_;
  std::map<std::pair<std::size_t, std::size_t>, Line> lines_;  ///< by panel and group
  std::vector<Measured> measured_;
};

/// Builds a heat map: cells over the values of two columns.
class HeatMaker {
 public:
  HeatMaker(const CsvTable& results, const PlotChoice& choice) : results_(results), choice_(choice) {
    for (const auto& [set, option] : {std::pair(!choice.by.empty(), "--by"), std::pair(choice.bound, "--bound"),
                                      std::pair(choice.log_x || choice.log_y, "--log x and y")})
      if (set)
        throw InputError(std::string(option) +
                         " and --heat exclude each other (legal: --x, --y, --heat, --log heat, --facet, --mean-over)");
  }

  Chart chart() {
    read();
    Chart chart;
    chart.x.title = without_unit(choice_.x), chart.y.title = without_unit(choice_.y);
    const std::vector<std::size_t> along = order(choice_.x, columns_, chart.x.names),
                                   up = order(choice_.y, rows_, chart.y.names);
    chart.scale = ColourScale{axis_title(choice_.heat), 0, 0, choice_.log_heat};
    bool first = true, any = false;
    for (std::size_t p = 0; p < panels_.size(); ++p) {
      ChartPanel panel;
      if (!choice_.facet.empty()) panel.title = setting(choice_.facet, panels_[p]);
      for (const auto& [place, values] : cells_) {
        const auto& [in_panel, x, y] = place;
        if (in_panel != p || values.empty()) continue;
        double sum = 0;
        for (const double v : values) sum += v;
        const double mean = sum / static_cast<double>(values.size());
        panel.cells.push_back({along[x], up[y], mean});
        any = true;
        if (choice_.log_heat && mean <= 0) continue;
        chart.scale->low = first ? mean : std::min(chart.scale->low, mean);
        chart.scale->high = first ? mean : std::max(chart.scale->high, mean);
        first = false;
      }
      chart.panels.push_back(std::move(panel));
    }
    if (any && first) throw InputError("--log heat: no value of " + choice_.heat + " is above 0 (legal: without --log)");
    if (first)
      throw InputError("nothing to draw: no row is done and has " + choice_.x + ", " + choice_.y + " and " + choice_.heat);
    return chart;
  }

 private:
  void read() {
    PlotChoice of_cells = choice_;
    of_cells.y = choice_.heat;
    const std::size_t y = results_.column(choice_.y, "--y"), x = results_.column(choice_.x, "--x");
    results_.column(choice_.heat, "--heat");
    std::vector<std::string> unused;
    RowReader reader(results_, of_cells, unused);
    for (const std::size_t row : reader.rows()) {
      if (results_.cell(row, x).empty() || results_.cell(row, y).empty()) continue;
      const std::size_t panel = place_of(panels_, reader.panel(row)), column = place_of(columns_, results_.cell(row, x)),
                        up = place_of(rows_, results_.cell(row, y));
      reader.add(lines_[{panel, column, up}], row);
      for (const auto& [at, sample] : lines_[{panel, column, up}]) cells_[{panel, column, up}] = sample.values;
    }
  }
  /// Returns the position of each value along an axis, and the labels of the positions: numbers ascend, names keep the order
  /// of the file.
  static std::vector<std::size_t> order(const std::string& column, const std::vector<std::string>& values,
                                        std::vector<std::string>& labels) {
    std::vector<std::size_t> sorted(values.size()), places(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) sorted[i] = i;
    const auto size = [](const std::string& text) -> std::optional<double> {
      if (const auto value = number(text)) return value;
      try {
        return static_cast<double>(parse_bytes(text).value);
      } catch (const std::invalid_argument&) {
        return std::nullopt;
      }
    };
    if (std::all_of(values.begin(), values.end(), [&](const std::string& v) { return size(v).has_value(); }))
      std::stable_sort(sorted.begin(), sorted.end(), [&](auto a, auto b) { return *size(values[a]) < *size(values[b]); });
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      places[sorted[i]] = i;
      labels.push_back(value_label(column, values[sorted[i]]));
    }
    return places;
  }

  using Place = std::tuple<std::size_t, std::size_t, std::size_t>;  ///< panel, column, row
  const CsvTable& results_;
  const PlotChoice& choice_;
  std::vector<std::string> panels_, columns_, rows_;
  std::map<Place, Line> lines_;
  std::map<Place, std::vector<double>> cells_;
};

}  // namespace

Chart make_chart(const CsvTable& results, const PlotChoice& choice, const CsvTable* measured) {
  if (!choice.heat.empty()) return HeatMaker(results, choice).chart();
  return ChartMaker(results, choice, measured).chart();
}

}  // namespace tributary::plot
