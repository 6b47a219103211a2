#pragma once
/// Axis: where values stand along an edge of a panel, and which of them have a label.

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
  bool bytes = false;              ///< labels in KiB, MiB ...
  std::vector<std::string> names;  ///< of values 0, 1, 2 ...; empty: values are numbers
};

class Axis {
 public:
  /// From the least to the greatest of `values`; of one value, about it. Logarithmic: all above 0. A linear axis without
  /// names begins with 0 if `from_zero`, and if no value lies below.
  Axis(const AxisSpec& spec, const std::vector<double>& values, bool from_zero);

  /// Share of the length, 0 to 1.
  double place(double value) const;
  /// Marks at each of the values, and a label at as many as stand apart: `length` pixels, letters of `size`.
  std::vector<Tick> at_values(const std::vector<double>& values, double length, double size) const;
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
