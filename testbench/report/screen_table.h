#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "testbench/run/run_spec.h"

namespace tributary {

/// The table on the screen: the columns that users of nccl-tests know, then wire bytes, the busiest link, and algbw as a
/// share of the analytic bound; then remarks: a status other than done, what a driver has chosen. A row appears as soon as
/// it is known. Where lines may have `width` columns at most, wire, count, peak-link, redop, type and busbw are left out, in
/// this order, until the rest fits; a line says which. Width 0 is no limit.
class ScreenTable {
 public:
  ScreenTable(std::ostream& out, const RunSpec& spec, std::size_t width = 0);

  void header();
  void row(const ResultRow& row);
  /// After the last row: what bounded the rows, a line for each stretch of rows with the same limit.
  void limits();
  /// Lines that stand apart from the columns.
  void note(const std::string& text);

 private:
  /// A column before those that every table has: job, layer, iteration.
  struct Leading {
    std::string name;
    std::size_t width;
  };

  void line(const std::vector<std::string>& cells);
  void keep_limit(const ResultRow& row);
  void leave_out();

  std::ostream& out_;
  const RunSpec& spec_;
  std::size_t width_;
  std::vector<Leading> leading_;
  struct Stretch {
    std::string first, last;  ///< row: size, layer or job
    Limit limit;              ///< of the last row
  };
  std::vector<Stretch> stretches_;
  std::vector<std::string> left_out_;  ///< columns, in the order of the table
};

}  // namespace tributary
