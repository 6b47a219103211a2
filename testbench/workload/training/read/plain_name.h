#pragma once
/// Converts names in files to names that are safe in reports and YAML.

#include <cstddef>
#include <string>

namespace tributary::training {

/// Returns the text as valid UTF-8 in one line, cut to `longest` bytes: invalid bytes become '?', control characters become
/// escapes such as \n.
std::string plain_name(const std::string& text, std::size_t longest);

}  // namespace tributary::training
