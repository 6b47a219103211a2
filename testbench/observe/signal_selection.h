#pragma once
/// Selects signals by glob.

#include <string>
#include <vector>

#include "modules/base/probe.h"
#include "testbench/observe/traced_signal.h"

namespace tributary {

/// Returns the signals that at least one glob matches (if there is no glob, all of at most 64 bits), in natural order of
/// their names. Throws TraceError if a glob matches no signal; the error names the nearest ones.
std::vector<TracedSignal> select_signals(const ProbeDirectory& probes, const std::vector<std::string>& globs);

/// Returns the minimum number of characters to insert, delete or replace in the glob `pattern` so that it matches
/// `text`.
std::size_t glob_distance(const std::string& pattern, const std::string& text);

}  // namespace tributary
