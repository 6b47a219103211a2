#pragma once
/// Options --trace-rtl and --trace-rtl-dir: blocks in RTL that write all of their signals.

#include <memory>

#include "testbench/cli/requests/settings.h"
#include "testbench/run/blocks/trace_files.h"

namespace tributary {

/// Throws InputError unless the text of an option is a folder.
void require_folder(const Setting& folder);
/// Returns null without --trace-rtl. Plug-ins are loaded with the result. Throws InputError.
std::shared_ptr<TraceFiles> make_rtl_traces(const Settings& settings);

}  // namespace tributary
