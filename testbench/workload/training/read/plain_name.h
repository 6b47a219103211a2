#pragma once
/// Names out of files, fit for reports and for YAML.

#include <cstddef>
#include <string>

namespace tributary::training {

/// The text as valid UTF-8 in one line: bytes that are none become '?', control characters escapes such as \n; cut to so
/// many bytes.
std::string plain_name(const std::string& text, std::size_t longest);

}  // namespace tributary::training
