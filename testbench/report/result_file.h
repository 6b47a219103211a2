#pragma once
/// Writes a file of results atomically.

#include <string>

namespace tributary {

/// Replaces a file as a whole, so that readers see the old text or the new one. Links are followed, and a link to a file
/// that does not exist yet creates that file. A path that is not a regular file (a pipe, a device), and a file in a folder
/// without permission to write, are written to directly. Throws std::runtime_error with the file and the reason.
void replace_file(const std::string& path, const std::string& text);

}  // namespace tributary
