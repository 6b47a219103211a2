#pragma once
/// Sections of a page with data recorded over the time of a run.

#include "testbench/record/run_record.h"
#include "testbench/report/html/page.h"

namespace tributary::html {

/// Adds sections for links over time, levels with events, and stages of devices.
void add_record_sections(Page& page, const RunRecord& record);

}  // namespace tributary::html
