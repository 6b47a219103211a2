#pragma once
/// Axis: where values stand along an edge of a panel, and which of them have a label.

#include <optional>
#include <string>
#include <vector>

namespace tributary::plot {

struct Tick {
  double value = 0;
  std::string label;  ///< empty: a mark alone
};

/// What an axis says, before its length is known.
struct AxisSpec {
  std::string title;
  bool logarithmic = false;
  bool bytes = false;               ///< labels in KiB, MiB ...
  std::vector<std::string> names;   ///< of values 0, 1, 2 ...; empty: values are numbers
  bool from_zero = false;           ///< a linear axis without names begins with 0 if no value lies below
  double margin = 0;                ///< empty at either end (from 0: at the upper end), as a share of the span of the values
  std::optional<double> low, high;  ///< ends that are given
};

class Axis {
 public:
  /// From the least to the greatest of `values`; of one value, about it. Logarithmic: all above 0.
  Axis(const AxisSpec& spec, const std::vector<double>& values);

  /// Share of the length, 0 to 1 between the ends.
  double place(double value) const;
  /// Marks at each of the values between the ends, and a label at as many as stand apart: `length` pixels, letters of
  /// `size`.
  std::vector<Tick> at_values(const std::vector<double>& values, double length, double size) const;
  /// The same, with a label at each.
  std::vector<Tick> at_all_values(const std::vector<double>& values) const;
  /// Round values, not more than one every 40 pixels.
  std::vector<Tick> at_round_values(double length) const;
  std::string label(double value) const;

 private:
  double scaled(double value) const;

  AxisSpec spec_;
  double low_ = 0, high_ = 1;  ///< scaled
};

/// `size_bytes` becomes `size (bytes)`, `algbw_GBps` `algbw (GB/s)`, `time_ns` `time (ns)`.
std::string axis_title(const std::string& column);
/// 1048576 becomes 1MiB; what is no multiple stays a number of bytes.
std::string bytes_label(double bytes);

}  // namespace tributary::plot
