#include "testbench/report/html/compare_page.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#include "modules/base/text_format.h"
#include "testbench/report/html/page.h"
#include "testbench/report/plot/chart.h"

namespace tributary::html {
namespace {

using Rows = std::vector<std::vector<std::string>>;
using MessagePair = std::pair<const ComparedMessage*, const ComparedMessage*>;

constexpr std::size_t first_rows = 32;  ///< the rest is folded

const char* const red = "bad";

std::string short_number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, std::abs(value) < 1e15 && value == std::floor(value) ? "%.0f" : "%.6g", value);
  return text;
}
std::string optional_number(const std::optional<double>& value, double unit, int places) {
  return value ? fixed(*value / unit, places) : "";
}
std::string change(double a, double b) {
  if (a == b) return "0 %";
  return a == 0 ? "" : (b > a ? "+" : "") + fixed(100 * (b - a) / a, 2) + " %";
}
std::string change(const std::optional<double>& a, const std::optional<double>& b) { return a && b ? change(*a, *b) : ""; }

/// Returns a table whose rows after the first are folded.
std::string long_table(const std::vector<std::string>& head, const Rows& rows) {
  if (rows.size() <= first_rows) return table(head, rows);
  const auto middle = rows.begin() + static_cast<std::ptrdiff_t>(first_rows);
  return table(head, {rows.begin(), middle}) +
         folded("the next " + std::to_string(rows.size() - first_rows) + " rows", table(head, {middle, rows.end()}));
}

class Comparison {
 public:
  Comparison(const ComparedRun& a, const ComparedRun& b) : a_(a), b_(b) {
    for (const ComparedMessage& one : a.messages)
      for (const ComparedMessage& other : b.messages)
        if (one.name == other.name) both_.emplace_back(&one, &other);
    if (a.file == b.file) name_a_ += " (first)", name_b_ += " (second)";
  }

  std::string page() const {
    Page page("tributary: " + name_a_ + " and " + name_b_);
    page.section("runs", "Runs", runs());
    page.section("results", "Results", results());
    if (!both_.empty()) {
      const std::string which = both_.size() == 1 ? "" : " of " + both_.back().first->name;
      page.section("counters", "Counters" + which, counters());
      page.section("links", "Links" + which, links());
    }
    return page.text();
  }

 private:
  static std::string property(const ComparedRun& run, const std::string& name) {
    for (const auto& [key, value] : run.properties)
      if (key == name) return value;
    return "";
  }
  std::vector<std::string> property_names() const {
    std::vector<std::string> names;
    for (const ComparedRun* run : {&a_, &b_})
      for (const auto& [key, value] : run->properties)
        if (std::find(names.begin(), names.end(), key) == names.end()) names.push_back(key);
    return names;
  }
  std::string runs() const {
    Rows rows;
    for (const std::string& name : property_names()) {
      const std::string a = property(a_, name), b = property(b_, name);
      rows.push_back({name, a, b, a == b ? "" : "differs"});
    }
    std::string text = table({"", name_a_, name_b_, ""}, rows);
    Rows changed;
    std::size_t equal = 0;
    std::map<std::string, std::pair<std::string, std::string>> all;
    for (const auto& [path, value] : a_.parameters) all[path].first = value;
    for (const auto& [path, value] : b_.parameters) all[path].second = value;
    for (const auto& [path, values] : all) {
      if (values.first == values.second)
        ++equal;
      else
        changed.push_back({path, values.first, values.second});
    }
    if (!changed.empty()) text += long_table({"parameter", name_a_, name_b_}, changed);
    return text + paragraph(std::to_string(equal) + " parameters have equal values.", "soft");
  }

  std::string results() const {
    Rows rows;
    bool equal = a_.messages.size() == both_.size() && b_.messages.size() == both_.size();
    for (const auto& [a, b] : both_) {
      rows.push_back({a->name, optional_number(a->time_ns, 1e3, 3), optional_number(b->time_ns, 1e3, 3),
                      change(a->time_ns, b->time_ns), optional_number(a->algbw, 1, 2), optional_number(b->algbw, 1, 2),
                      a->bottleneck, b->bottleneck, a->status == b->status ? a->status : a->status + ", " + b->status});
      equal = equal && a->time_ns == b->time_ns && a->status == b->status && a->counters == b->counters;
    }
    const std::string a = " " + name_a_, b = " " + name_b_;
    std::string text = equal ? paragraph("Times, statuses and counters are equal.", "good") : "";
    if (both_.empty()) text += paragraph("The runs have no message in common.", red);
    if (!rows.empty())
      text += table({"message", "time (us)" + a, "time (us)" + b, "change", "algbw (GB/s)" + a, "algbw (GB/s)" + b,
                     "bottleneck" + a, "bottleneck" + b, "status"},
                    rows);
    text += alone(a_, name_a_) + alone(b_, name_b_);
    return text + figure();
  }
  /// Names the messages that the other run does not have.
  std::string alone(const ComparedRun& run, const std::string& name) const {
    std::vector<std::string> names;
    for (const ComparedMessage& m : run.messages)
      if (std::none_of(both_.begin(), both_.end(), [&](const auto& pair) { return pair.first == &m || pair.second == &m; }))
        names.push_back(m.name);
    if (names.empty()) return "";
    std::string text = "Only in " + name + ": ";
    for (std::size_t i = 0; i < std::min(first_rows, names.size()); ++i) text += (i == 0 ? "" : "; ") + names[i];
    if (names.size() > first_rows) text += "; and " + std::to_string(names.size() - first_rows) + " more";
    return paragraph(text + ".", "soft");
  }
  /// Draws the bandwidth over the size, if both runs have at least two sizes.
  std::string figure() const {
    plot::Chart chart;
    chart.x.title = "size (bytes)", chart.x.logarithmic = true, chart.x.bytes = true;
    chart.y.title = "algbw (GB/s)", chart.y.from_zero = true, chart.y.margin = 0.04;
    plot::ChartPanel& panel = chart.panels.emplace_back();
    for (const auto& [run, name] : {std::pair(&a_, &name_a_), std::pair(&b_, &name_b_)}) {
      std::map<double, double> points;
      for (const ComparedMessage& m : run->messages)
        if (m.algbw && m.size > 0) points.emplace(m.size, *m.algbw);
      if (points.size() < 2) return "";
      plot::ChartSeries series{*name, plot::SeriesKind::line, plot::series_style(panel.series.size()), {}};
      for (const auto& [size, algbw] : points) series.points.push_back({size, algbw, algbw, algbw, {}, "", ""});
      panel.series.push_back(std::move(series));
    }
    const plot::ChartDrawing drawing = plot::draw(chart);
    return drawing.svg.element(drawing.width, drawing.height, "bandwidth of both runs over the size");
  }

  std::string counters() const {
    const auto& [a, b] = both_.back();
    std::map<std::string, std::pair<double, double>> all;
    for (const auto& [name, value] : a->counters) all[name].first = value;
    for (const auto& [name, value] : b->counters) all[name].second = value;
    Rows rows;
    for (const auto& [name, values] : all)
      if (values.first != values.second)
        rows.push_back({name, short_number(values.first), short_number(values.second),
                        short_number(values.second - values.first), change(values.first, values.second)});
    std::string text = rows.empty() ? "" : long_table({"counter", name_a_, name_b_, "difference", "change"}, rows);
    return text + paragraph(std::to_string(all.size() - rows.size()) + " counters are equal.", "soft");
  }

  std::string links() const {
    const auto& [a, b] = both_.back();
    struct Both {
      std::string name;
      ComparedLink a, b;
    };
    std::map<std::string, Both> all;
    for (const auto& [name, link] : a->links) all[name].a = link;
    for (const auto& [name, link] : b->links) all[name].b = link;
    std::vector<Both> changed;
    for (auto& [name, both] : all) {
      if (both.a.bytes == both.b.bytes && both.a.utilisation == both.b.utilisation) continue;
      both.name = name;
      changed.push_back(both);
    }
    const auto difference = [](const Both& both) { return std::abs(both.b.utilisation - both.a.utilisation); };
    std::stable_sort(changed.begin(), changed.end(),
                     [&](const Both& x, const Both& y) { return difference(x) > difference(y); });
    Rows rows;
    for (const Both& both : changed)
      rows.push_back({both.name, fixed(100 * both.a.utilisation, 1), fixed(100 * both.b.utilisation, 1),
                      fixed(100 * (both.b.utilisation - both.a.utilisation), 1), short_number(both.a.bytes),
                      short_number(both.b.bytes)});
    std::string text = rows.empty() ? ""
                                    : long_table({"link", "busy (%) " + name_a_, "busy (%) " + name_b_, "difference",
                                                  "bytes " + name_a_, "bytes " + name_b_},
                                                 rows);
    return text + paragraph(std::to_string(all.size() - rows.size()) + " links are equal.", "soft");
  }

  const ComparedRun &a_, &b_;
  std::string name_a_ = a_.file, name_b_ = b_.file;
  std::vector<MessagePair> both_;
};

}  // namespace

std::string compare_page(const ComparedRun& a, const ComparedRun& b) { return Comparison(a, b).page(); }

}  // namespace tributary::html
