#include "testbench/report/plot/plot_data.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "modules/base/nearest.h"
#include "modules/base/units.h"
#include "testbench/workload/input_error.h"

namespace tributary::plot {
namespace {

std::optional<double> number(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

/// Returns the index of a name; new names are appended.
std::size_t place_of(std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) names.push_back(name);
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// Returns `size` for `size_bytes`; paths of parameters stay whole.
std::string without_unit(const std::string& column) {
  return ends_with(column, "_bytes") && column.find('.') == std::string::npos ? column.substr(0, column.size() - 6) : column;
}
/// Returns `1MiB` for 1048576 in a column of bytes.
std::string value_label(const std::string& column, const std::string& value) {
  const std::optional<double> bytes = ends_with(column, "bytes") ? number(value) : std::nullopt;
  return bytes ? bytes_label(*bytes) : value;
}
std::string setting(const std::string& column, const std::string& value) {
  return without_unit(column) + " = " + value_label(column, value);
}

/// Values of one point of a line, over the column `mean_over`.
struct Sample {
  std::vector<double> values, bounds;
  std::map<std::string, std::size_t> rows;
};
using Line = std::map<double, Sample>;

class Reader {
 public:
  Reader(const CsvTable& table, const PlotChoice& choice, std::vector<std::string>& names)
      : table_(table), choice_(choice), names_(names) {
    x_ = table.column(choice.x, "--x"), y_ = table.column(choice.y, "--y");
    by_ = optional(choice.by, "--by"), facet_ = optional(choice.facet, "--facet");
    mean_ = optional(choice.mean_over, "--mean-over");
    if (table.has("status")) status_ = table.column("status", "");
    if (choice.bound) read_bound_columns();
    for (const std::size_t row : rows()) named_ = named_ || (!x_text(row).empty() && !x_number(row));
  }

  bool named() const { return named_; }
  std::string group(std::size_t row) const { return by_ ? table_.cell(row, *by_) : ""; }
  std::string panel(std::size_t row) const { return facet_ ? table_.cell(row, *facet_) : ""; }
  std::vector<std::size_t> rows() const {
    std::vector<std::size_t> all(table_.rows());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    return all;
  }
  /// None if the row has no value in x, as for a point that failed before it had one.
  std::optional<double> x(std::size_t row) {
    if (x_text(row).empty()) return std::nullopt;
    if (named_) return static_cast<double>(place_of(names_, x_text(row)));
    return x_number(row);
  }
  std::optional<double> y(std::size_t row) const {
    if (status_ && table_.cell(row, *status_) != "done") return std::nullopt;
    const std::string& text = table_.cell(row, y_);
    const std::optional<double> value = number(text);
    if (!value && !text.empty()) fail(row, choice_.y, text, "a number, or nothing");
    return value;
  }
  /// Returns the y of the row if only the links limited it.
  std::optional<double> bound(std::size_t row) const {
    if (!bound_) return std::nullopt;
    const auto bottleneck = number(table_.cell(row, *bound_)), algbw = number(table_.cell(row, algbw_)), value = y(row);
    if (!bottleneck || !algbw || !value || *algbw <= 0) return std::nullopt;
    return *bottleneck * *value / *algbw;
  }
  void add(Line& line, std::size_t row) {
    const std::optional<double> at = x(row);
    if (!at) return;
    Sample& sample = line[*at];
    const std::string key = mean_ ? table_.cell(row, *mean_) : "";
    if (const auto [known, first] = sample.rows.try_emplace(key, row); !first) refuse_twin(known->second, row);
    if (const auto value = y(row)) sample.values.push_back(*value);
    if (const auto value = bound(row)) sample.bounds.push_back(*value);
  }

 private:
  std::optional<std::size_t> optional(const std::string& name, const char* option) const {
    return name.empty() ? std::nullopt : std::make_optional(table_.column(name, option));
  }
  void read_bound_columns() {
    if (choice_.y != "algbw_GBps" && choice_.y != "busbw_GBps")
      throw InputError("--bound: " + choice_.y + " has no bound (legal: with --y algbw_GBps or busbw_GBps)");
    bound_ = table_.column("bound_GBps", "--bound"), algbw_ = table_.column("algbw_GBps", "--bound");
  }
  /// For a failed point, `size` from the sweep file replaces `size_bytes`.
  std::string x_text(std::size_t row) const {
    const std::string& text = table_.cell(row, x_);
    if (!text.empty() || choice_.x != "size_bytes" || !table_.has("size")) return text;
    return table_.cell(row, table_.column("size", ""));
  }
  std::optional<double> x_number(std::size_t row) const {
    const std::string text = x_text(row);
    if (const auto value = number(text)) return value;
    try {
      return static_cast<double>(parse_bytes(text).value);  // text such as 8KiB
    } catch (const std::invalid_argument&) {
      return std::nullopt;
    }
  }
  std::string place(std::size_t row) const { return table_.file() + ":" + std::to_string(table_.line(row)); }
  [[noreturn]] void fail(std::size_t row, const std::string& column, const std::string& text,
                         const std::string& legal) const {
    throw InputError(place(row) + ": " + column + ": '" + text + "'; legal: " + legal);
  }
  /// True for columns that users set, as opposed to results.
  static bool is_setting(const std::string& column) {
    for (const char* end : {"_ns", "_GBps", "_bytes", "count", "wrong", "peak_link", "_utilisation"})
      if (ends_with(column, end)) return false;
    if (column.rfind("bottleneck", 0) == 0) return false;  // limit, bottleneck_share ...
    return column != "point" && (column.find('.') == std::string::npos || column.find('.') != column.rfind('.'));
  }
  /// Throws an error that names the columns in which the two rows differ.
  [[noreturn]] void refuse_twin(std::size_t a, std::size_t b) const {
    std::vector<std::string> different;
    for (std::size_t c = 0; c < table_.columns().size(); ++c)
      if (c != x_ && c != y_ && is_setting(table_.columns()[c]) && table_.cell(a, c) != table_.cell(b, c))
        different.push_back(table_.columns()[c]);
    if (different.size() > 8) different.resize(8);
    const std::string legal =
        different.empty()
            ? "one row for each point"
            : "--by, --facet or --mean-over with a column that distinguishes them, such as " + join_names(different);
    throw InputError(place(b) + ": a second row with the same " + choice_.x + ", as line " + std::to_string(table_.line(a)) +
                     "; legal: " + legal);
  }

  const CsvTable& table_;
  const PlotChoice& choice_;
  std::vector<std::string>& names_;
  std::size_t x_ = 0, y_ = 0, algbw_ = 0;
  std::optional<std::size_t> by_, facet_, mean_, status_, bound_;
  bool named_ = false;  ///< true: values of x are names
};

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
    Reader reader(results, choice, names_);
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
    Reader reader(table, columns, names_);
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
    Reader reader(results_, of_cells, unused);
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
