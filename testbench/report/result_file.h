#pragma once
/// Writes a file of results atomically.

#include <string>

namespace tributary {

/// Replaces a file as a whole, so that readers see the old text or the new one. A path that is not a regular file (a
/// pipe, a device) is written to directly. Throws std::runtime_error with the file and the reason.
void replace_file(const std::string& path, const std::string& text);

}  // namespace tributary
