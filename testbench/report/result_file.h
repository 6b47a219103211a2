#pragma once

#include <string>

namespace tributary {

/// Replaces a file as a whole: readers see the old text or the new one, never a part. What is no regular file (a pipe, a
/// device) is written to instead. Throws std::runtime_error with the file and the reason.
void replace_file(const std::string& path, const std::string& text);

}  // namespace tributary
