#pragma once
/// Groups of options and commands in the help, in the order in which they appear.

#include <string>
#include <utility>
#include <vector>

namespace tributary {

/// Titles, each with names.
using NameGroups = std::vector<std::pair<std::string, std::vector<std::string>>>;

/// Returns no groups if the options of a command form one group.
const NameGroups& option_groups(const std::string& command);
const NameGroups& command_groups();

}  // namespace tributary
