#pragma once
/// Selection of instances of blocks by their hierarchical names.

#include <string>
#include <vector>

namespace tributary {

/// True if the glob matches an instance, or the module that contains it: `*.port5` selects `dgx2.switch0_2.port5.table`.
bool selects_place(const std::string& glob, const std::string& place);
/// Returns the error of a selection that no instance fits: one line with the nearest of `places`.
std::string no_such_place(const std::string& option, const std::string& glob, const std::vector<std::string>& places);

}  // namespace tributary
