#pragma once
/// Check of a file before it is read.

#include <string>

namespace tributary {

/// Returns the reason why a file cannot be an input, one line: it cannot be opened, is a folder, or is a pointer of Git LFS;
/// empty if it can. Reads nothing from a pipe.
std::string refusal_of_file(const std::string& path);

}  // namespace tributary
