#pragma once
/// Section of a page about a run that did not end.

#include <string>
#include <vector>

#include "testbench/report/html/topology_picture.h"
#include "testbench/run/run_spec.h"

namespace tributary::html {

/// Returns the cause, the dead links, the waiters by class, and the folded list of all waiters; empty for a run that
/// ended.
std::string stuck_section(const ResultRow& row);

/// Returns the links that were down at the end of a run: those that its report names or, if it has none, those whose
/// faults lie within its time.
std::vector<DeadLink> dead_links(const RunSpec& spec, const ResultRow& row);

}  // namespace tributary::html
