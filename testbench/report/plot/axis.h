#pragma once
/// Axis: positions and labels of values along an edge of a panel.

#include <optional>
#include <string>
#include <vector>

namespace tributary::plot {

struct Tick {
  double value = 0;
  std::string label;  ///< empty: tick without a label
};

/// Description of an axis whose length is not yet known.
struct AxisSpec {
  std::string title;
  bool logarithmic = false;
  bool bytes = false;               ///< labels in KiB, MiB ...
  std::vector<std::string> names;   ///< labels of the values 0, 1, 2 ...; empty: the values are numbers
  bool from_zero = false;           ///< a linear axis without names starts at 0 if all values are non-negative
  double margin = 0;                ///< empty fraction of the values' span at either end (with from_zero: at the upper end)
  std::optional<double> low, high;  ///< explicit ends
};

class Axis {
 public:
  /// Spans the range of `values`, or an interval around a single value. On a logarithmic axis all values must be
  /// positive.
  Axis(const AxisSpec& spec, const std::vector<double>& values);

  /// Returns the position as a fraction of the length, 0 to 1 between the ends.
  double place(double value) const;
  /// Returns a tick at each of the values between the ends, with as many labels as fit without overlap. `length`: in
  /// pixels; `size`: font size.
  std::vector<Tick> at_values(const std::vector<double>& values, double length, double size) const;
  /// Returns the least length at which at_values() has a label at each value.
  double length_for_labels(const std::vector<double>& values, double size) const;
  /// Returns a labelled tick at each value.
  std::vector<Tick> at_all_values(const std::vector<double>& values) const;
  /// Returns ticks at round values, at most one per 40 pixels.
  std::vector<Tick> at_round_values(double length) const;
  std::string label(double value) const;

 private:
  double scaled(double value) const;

  AxisSpec spec_;
  double low_ = 0, high_ = 1;  ///< scaled
};

/// Formats a column name: `size_bytes` as `size (bytes)`, `algbw_GBps` as `algbw (GB/s)`, `time_ns` as `time (ns)`.
std::string axis_title(const std::string& column);
/// Formats 1048576 as 1MiB; a number that is no multiple of a unit remains a number of bytes.
std::string bytes_label(double bytes);

}  // namespace tributary::plot
