#pragma once
/// Lines of waiting() without the times since when they wait.

#include <string>
#include <vector>

#include "modules/base/waiting_since.h"

namespace tributary {

inline std::vector<std::string> without_times(std::vector<std::string> lines) {
  for (std::string& line : lines) cut_waiting_since(line);
  return lines;
}

}  // namespace tributary
