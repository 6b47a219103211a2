#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "testbench/run/run_spec.h"

namespace tributary {

/// The table on the screen: the columns that users of nccl-tests know, then wire bytes, the busiest link, and algbw as a
/// share of the analytic bound; then remarks: a status other than done, what a driver has chosen. A row appears as soon as
/// it is known.
class ScreenTable {
 public:
  ScreenTable(std::ostream& out, const RunSpec& spec);

  void header();
  void row(const ResultRow& row);
  /// After the last row: what bounded the rows, a line for each stretch of rows with the same limit.
  void limits();
  /// Lines that stand apart from the columns.
  void note(const std::string& text) { out_ << text << std::flush; }

 private:
  /// A column before those that every table has: job, layer, iteration.
  struct Leading {
    std::string name;
    std::size_t width;
  };

  void line(const std::vector<std::string>& cells);
  void keep_limit(const ResultRow& row);

  std::ostream& out_;
  const RunSpec& spec_;
  std::vector<Leading> leading_;
  struct Stretch {
    std::string first, last;  ///< row: size, layer or job
    Limit limit;              ///< of the last row
  };
  std::vector<Stretch> stretches_;
};

}  // namespace tributary
