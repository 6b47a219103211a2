#pragma once
/// Sections of a page from what was recorded over the time of a run.

#include <string>

#include "testbench/record/run_record.h"
#include "testbench/report/html/page.h"
#include "testbench/run/run_spec.h"

namespace tributary::html {

/// Links over time; levels with events; stages of devices.
void add_record_sections(Page& page, const RunRecord& record);
/// Histograms by class; empty without packets.
std::string latency_section(const ResultRow& row);

}  // namespace tributary::html
