#pragma once
/// Section of a page with the latencies of packets.

#include <string>

#include "testbench/run/run_spec.h"

namespace tributary::html {

/// Returns latency histograms by packet class; empty if there are no packets.
std::string latency_section(const ResultRow& row);

}  // namespace tributary::html
