#pragma once
/// Which options and commands the help shows together, and in which order.

#include <string>
#include <utility>
#include <vector>

namespace tributary {

/// Title, then names.
using NameGroups = std::vector<std::pair<std::string, std::vector<std::string>>>;

/// Empty: all in one.
const NameGroups& option_groups(const std::string& command);
const NameGroups& command_groups();

}  // namespace tributary
