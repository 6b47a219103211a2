#pragma once
/// Time stamps in lines of waiting(): since when a module waits. The run's report converts them to times of the run.

#include <string>

#include "modules/base/units.h"

namespace tributary {

/// Returns the suffix of a line for a kernel time; empty for 0, which means unknown.
inline std::string waiting_since(Tick when) { return when == 0 ? "" : " @" + std::to_string(when); }

/// Removes that suffix from the line; returns its time, or 0 if there is none.
inline Tick cut_waiting_since(std::string& line) {
  const std::size_t at = line.rfind(" @");
  if (at == std::string::npos || at + 2 == line.size() || line.find_first_not_of("0123456789", at + 2) != std::string::npos)
    return 0;
  const Tick when = std::stoull(line.substr(at + 2));
  line.erase(at);
  return when;
}

}  // namespace tributary
