#pragma once
/// The report of a run that did not end: first the cause, then the waiters by class and by name; the remainder is in a
/// file.

#include <string>
#include <vector>

#include "testbench/run/run_spec.h"

namespace tributary {

/// A class of waiters: their lines with `*` in place of numbers, or the line itself if there is only one.
struct WaiterClass {
  std::string text;
  std::size_t count = 0;
};

/// The parsed text of ResultRow::report.
struct StuckReport {
  std::string cause;                    ///< `no event is left, and 16 ranks are not done`
  std::vector<std::string> dead_links;  ///< `link gpu3.port2>switch0_2.port3 is dead since 1us`
  std::vector<std::string> waiters;     ///< in report order
  std::vector<WaiterClass> classes;     ///< largest first
};

StuckReport read_stuck_report(const std::string& report);

/// Returns at most 40 lines: a headline with the cause, counts by class, the first ten waiters, and the location of the
/// rest. `kept` describes the finished results; `file` (empty: none) holds the complete report.
std::string stuck_text(Status status, const std::string& report, const std::string& kept, const std::string& file);

}  // namespace tributary
