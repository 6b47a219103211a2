#pragma once
/// Values that reports derive from result rows.

#include <string>
#include <vector>

#include "testbench/run/run_spec.h"

namespace tributary {

/// Returns the busiest directed link (the first of equals), or null if no link was used.
const LinkUse* peak_link(const ResultRow& row);

/// Returns the row's algbw as a fraction of its analytic bound; 0 if it has none.
double share_of_bound(const ResultRow& row);

/// Returns the row `total` of the layers of a network. Times, bytes and event counts are added, link utilisations are
/// weighted by time, the bound results from the sum of the shortest times, and the bottleneck is the one with the
/// largest share of the time. Counters that are statistics (mean, p99 ...) are omitted.
ResultRow total_of(const std::vector<ResultRow>& rows);

}  // namespace tributary
