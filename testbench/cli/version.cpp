#include "testbench/cli/version.h"

#include <algorithm>

namespace tributary {

std::string version_line() { return std::string("tributary " TRIBUTARY_VERSION " (commit ") + build_commit() + ")\n"; }

bool asks_for_version(const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments.front() == "complete") return false;
  return arguments == std::vector<std::string>{"version"} || arguments.front() == "-v" ||
         std::find(arguments.begin(), arguments.end(), "--version") != arguments.end();
}

}  // namespace tributary
