#pragma once
/// ScreenTable: the table of results on the screen.

#include <ostream>
#include <string>
#include <vector>

#include "testbench/run/run_spec.h"

namespace tributary {

/// Has the columns of nccl-tests, then wire bytes, the busiest link, and algbw as a fraction of the analytic bound,
/// then remarks: a status other than done, and values chosen by the driver. Each row is printed as soon as it is known.
/// If lines are limited to `width` columns, then wire, count, peak-link, redop, type and busbw are omitted in this
/// order until the rest fits, and a line lists the omitted ones. Width 0 means no limit.
class ScreenTable {
 public:
  ScreenTable(std::ostream& out, const RunSpec& spec, std::size_t width = 0);

  void header();
  void row(const ResultRow& row);
  /// Prints the bottlenecks after the last row, one line per range of consecutive rows with the same bottleneck.
  void bottlenecks();
  /// Prints lines other than rows.
  void note(const std::string& text);

 private:
  /// A column before the standard ones: job, layer, iteration.
  struct Leading {
    std::string name;
    std::size_t width;
  };

  void line(const std::vector<std::string>& cells);
  void keep_bottleneck(const ResultRow& row);
  void leave_out();

  std::ostream& out_;
  const RunSpec& spec_;
  std::size_t width_;
  std::vector<Leading> leading_;
  struct Stretch {
    std::string first, last;  ///< row label: size, layer or job
    Bottleneck bottleneck;    ///< bottleneck of the last row
  };
  std::vector<Stretch> stretches_;
  std::vector<std::string> left_out_;  ///< omitted columns, in table order
};

}  // namespace tributary
