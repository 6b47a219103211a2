#include "testbench/report/plot/axis.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <initializer_list>
#include <utility>

#include "testbench/report/plot/font_table.h"

namespace tributary::plot {
namespace {

constexpr double least_step = 40;  // minimum distance in pixels between round values

std::string printed(const char* format, double value) {
  char text[40];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

/// Rounds up to 1, 2 or 5 times a power of ten.
double round_up(double x) {
  const double power = std::pow(10, std::floor(std::log10(x)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= x * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

}  // namespace

std::string axis_title(const std::string& column) {
  const std::pair<const char*, const char*> units[] = {{"_GBps", "GB/s"}, {"_bytes", "bytes"}, {"_ns", "ns"},
                                                       {"_us", "us"},     {"_ms", "ms"},       {"_s", "s"}};
  for (const auto& [suffix, unit] : units) {
    const std::string end = suffix;
    if (column.size() <= end.size() || column.compare(column.size() - end.size(), end.size(), end) != 0) continue;
    return column.substr(0, column.size() - end.size()) + " (" + unit + ")";
  }
  return column;
}

std::string bytes_label(double bytes) {
  const std::pair<double, const char*> units[] = {{0x1p30, "GiB"}, {0x1p20, "MiB"}, {0x1p10, "KiB"}};
  for (const auto& [unit, name] : units)
    if (bytes >= unit && std::fmod(bytes * 4, unit) == 0) return printed("%.4g", bytes / unit) + name;
  return printed("%.6g", bytes) + "B";
}

Axis::Axis(const AxisSpec& spec, const std::vector<double>& values) : spec_(spec) {
  if (!values.empty()) {
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    low_ = scaled(*least), high_ = scaled(*most);
  }
  const bool zero = spec_.from_zero && !spec_.logarithmic && spec_.names.empty() && low_ >= 0;
  if (zero) low_ = 0;
  const double margin = spec_.margin * (high_ - low_);
  if (!zero) low_ -= margin;
  high_ += margin;
  if (!spec_.names.empty()) low_ -= 0.5, high_ += 0.5;
  if (spec_.low) low_ = scaled(*spec_.low);
  if (spec_.high) high_ = scaled(*spec_.high);
  if (high_ - low_ > 1e-12 * std::max(std::abs(low_), std::abs(high_))) return;
  const double room = spec_.logarithmic ? 0.5 : std::max(1.0, std::abs(high_) / 2);
  low_ -= room, high_ += room;
}

double Axis::scaled(double value) const { return spec_.logarithmic ? std::log10(value) : value; }
double Axis::place(double value) const { return (scaled(value) - low_) / (high_ - low_); }

std::string Axis::label(double value) const {
  if (!spec_.names.empty()) return spec_.names.at(static_cast<std::size_t>(value));
  if (spec_.bytes) return bytes_label(value);
  if (std::abs(value) < 1e6 && std::abs(value - std::round(value)) < 1e-9) return printed("%.0f", value + 0.0);
  return printed("%.4g", value);
}

std::vector<Tick> Axis::at_all_values(const std::vector<double>& values) const {
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  std::vector<Tick> ticks;
  for (const double value : sorted)
    if (place(value) > -1e-9 && place(value) < 1 + 1e-9) ticks.push_back({value, label(value)});
  return ticks;
}

std::vector<Tick> Axis::at_values(const std::vector<double>& values, double length, double size) const {
  std::vector<Tick> ticks = at_all_values(values);
  double end = -1e9;  // right end of the latest label
  for (Tick& tick : ticks) {
    const double middle = place(tick.value) * length, half = text_width(tick.label, size) / 2;
    if (middle - half < end + size / 2)
      tick.label.clear();
    else
      end = middle + half;
  }
  return ticks;
}

double Axis::length_for_labels(const std::vector<double>& values, double size) const {
  const std::vector<Tick> ticks = at_all_values(values);
  double length = 0;
  for (std::size_t i = 1; i < ticks.size(); ++i) {
    const double labels = (text_width(ticks[i - 1].label, size) + text_width(ticks[i].label, size)) / 2 + size / 2;
    length = std::max(length, (labels + 0.01) / (place(ticks[i].value) - place(ticks[i - 1].value)));
  }
  return length;
}

std::vector<Tick> Axis::at_round_values(double length) const {
  std::vector<Tick> ticks;
  const double most = std::max(2.0, length / least_step), span = high_ - low_;
  const auto add = [&](double value) {
    if (scaled(value) >= low_ - 1e-9 * span && scaled(value) <= high_ + 1e-9 * span) ticks.push_back({value, label(value)});
  };
  if (spec_.logarithmic && span * 3 <= most) {  // 1, 2, 5 in each decade
    for (double power = std::floor(low_); power <= high_; ++power)
      for (const double factor : {1.0, 2.0, 5.0}) add(factor * std::pow(10, power));
    if (ticks.size() >= 2) return ticks;
    ticks.clear();
  } else if (spec_.logarithmic) {
    const double step = std::ceil(span / most);
    for (double power = std::ceil(low_); power <= high_ + 1e-9; power += step) add(std::pow(10, power));
    return ticks;
  }
  const double low = spec_.logarithmic ? std::pow(10, low_) : low_, high = spec_.logarithmic ? std::pow(10, high_) : high_;
  const double step = round_up((high - low) / most);
  for (double i = std::ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; ++i) add(i * step);
  return ticks;
}

}  // namespace tributary::plot
