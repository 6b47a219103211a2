#pragma once
/// Options whose values name files, of all commands.

#include <string>
#include <vector>

namespace tributary {

/// Returns the position at which a path begins in the value of an option, or npos if the value names no file.
std::size_t path_begin(const std::string& option, const std::string& text);

/// Returns the options that write a file.
const std::vector<std::string>& writing_options();

/// Returns the files that the value of an option makes a command read; empty for an option that reads none.
std::vector<std::string> files_read(const std::string& option, const std::string& text);

/// Returns the file of an option of writing_options(), then the files whose names derive from it.
std::vector<std::string> files_written(const std::string& option, const std::string& text);

}  // namespace tributary
