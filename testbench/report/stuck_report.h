#pragma once
/// What the screen says of a run that did not end: the cause first, then what waits, by class and by name; the rest in a
/// file.

#include <string>
#include <vector>

#include "testbench/run/run_spec.h"

namespace tributary {

/// What waits, of one class: its lines with `*` in place of their numbers; of one alone the line itself.
struct WaiterClass {
  std::string text;
  std::size_t count = 0;
};

/// ResultRow::report, taken apart.
struct StuckReport {
  std::string cause;                    ///< `no event is left, and 16 ranks are not done`
  std::vector<std::string> dead_links;  ///< `link gpu3.port2>switch0_2.port3 is dead since 1us`
  std::vector<std::string> waiters;     ///< in the order of the report
  std::vector<WaiterClass> classes;     ///< the largest first
};

StuckReport read_stuck_report(const std::string& report);

/// At most 40 lines: the headline with the cause, counts by class, the ten that come first, where the rest is. `kept` says
/// what was finished before, `file` (empty: none) holds all of it.
std::string stuck_text(Status status, const std::string& report, const std::string& kept, const std::string& file);

}  // namespace tributary
