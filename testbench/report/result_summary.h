#pragma once
/// What reports derive from rows.

#include <string>
#include <vector>

#include "testbench/run/run_spec.h"

namespace tributary {

std::string status_name(Status status);
/// The same, and `dead_link` of a run that stuck with a link dead: no deadlock of the protocol.
std::string status_name(const ResultRow& row);

/// The busiest directed link (the first of equals); null when nothing crossed a link.
const LinkUse* peak_link(const ResultRow& row);

/// The share of the analytic bound that a row reaches; 0 when it has none.
double share_of_bound(const ResultRow& row);

/// The row `total` of the layers of a network: times, bytes and event counts add up, link utilisations are weighted by
/// time, the bound is that of the sum of the shortest times, the limit the one that most of the time had. Counters that are
/// no counts (mean, p99 ...) are left out.
ResultRow total_of(const std::vector<ResultRow>& rows);

}  // namespace tributary
