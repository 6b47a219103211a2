#pragma once

#include <string>
#include <vector>

namespace tributary {

/// Returns the abbreviated hash of the commit that the build was configured from, or `unknown` outside a Git repository. The
/// build writes its source, so that a new commit recompiles one file.
const char* build_commit();

/// Returns the line that `tributary --version` prints.
std::string version_line();
/// True for `version`, `-v`, and --version at any place of a command.
bool asks_for_version(const std::vector<std::string>& arguments);

}  // namespace tributary
