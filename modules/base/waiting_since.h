#pragma once
/// How lines of waiting() tell since when their module waits: the run's report turns it into a time of the run.

#include <string>

#include "modules/base/units.h"

namespace tributary {

/// The end of a line: since a time of the kernel. 0, before any run: not known, and nothing is said.
inline std::string waiting_since(Tick when) { return when == 0 ? "" : " @" + std::to_string(when); }

/// Cuts that end off: its time, or 0 when the line has none.
inline Tick cut_waiting_since(std::string& line) {
  const std::size_t at = line.rfind(" @");
  if (at == std::string::npos || at + 2 == line.size() || line.find_first_not_of("0123456789", at + 2) != std::string::npos)
    return 0;
  const Tick when = std::stoull(line.substr(at + 2));
  line.erase(at);
  return when;
}

}  // namespace tributary
