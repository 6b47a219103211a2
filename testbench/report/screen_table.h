#pragma once

#include <ostream>

#include "testbench/run/run_spec.h"

namespace tributary {

/// The table on the screen: the columns that users of nccl-tests know, then wire bytes, the busiest link, and algbw as a
/// share of the analytic bound. A row appears as soon as it is known.
class ScreenTable {
 public:
  ScreenTable(std::ostream& out, const RunSpec& spec);

  void header();
  void row(const ResultRow& row);
  /// Lines that stand apart from the columns.
  void note(const std::string& text) { out_ << text << std::flush; }

 private:
  void line(const std::vector<std::string>& cells);

  std::ostream& out_;
  const RunSpec& spec_;
  std::size_t label_width_ = 0;  ///< 0: no such column
};

}  // namespace tributary
