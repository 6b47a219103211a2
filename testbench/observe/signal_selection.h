#pragma once

#include <string>
#include <vector>

#include "modules/base/probe.h"
#include "testbench/observe/traced_signal.h"

namespace tributary {

/// The signals that at least one glob matches (all, when there is no glob), in natural order of their names. Throws
/// TraceError when a glob matches no signal; the text names the nearest ones.
std::vector<TracedSignal> select_signals(const ProbeDirectory& probes, const std::vector<std::string>& globs);

/// The fewest characters to insert, delete or replace in the glob `pattern` such that it matches `text`.
std::size_t glob_distance(const std::string& pattern, const std::string& text);

}  // namespace tributary
