#pragma once
/// Sections of a page with data recorded over the time of a run.

#include <string>

#include "testbench/record/run_record.h"
#include "testbench/report/html/page.h"
#include "testbench/run/run_spec.h"

namespace tributary::html {

/// Adds sections for links over time, levels with events, and stages of devices.
void add_record_sections(Page& page, const RunRecord& record);
/// Returns latency histograms by packet class; empty if there are no packets.
std::string latency_section(const ResultRow& row);

}  // namespace tributary::html
