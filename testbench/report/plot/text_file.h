#pragma once
/// Reads a file as text.

#include <cstdint>
#include <string>

namespace tributary::plot {

/// Throws InputError with the file name if the file cannot be read or is larger than `most_mib`.
std::string read_text(const std::string& file, std::uintmax_t most_mib);

}  // namespace tributary::plot
