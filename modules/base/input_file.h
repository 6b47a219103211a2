#pragma once
/// Check of a file that was opened for reading.

#include <fstream>
#include <string>

namespace tributary {

/// Returns the reason why a file cannot be an input, one line: it was not opened, is a folder, or is a pointer of Git LFS;
/// empty if it can. Call it immediately after `file` was opened by `path`. Reads nothing from a pipe, and leaves a regular
/// file at its begin.
std::string refusal_of_file(std::ifstream& file, const std::string& path);

}  // namespace tributary
