#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace tributary {

/// Returns the candidates for the last of the words after `tributary`; none if a file name is expected. A candidate that
/// ends in `=` or a dot is not complete.
std::vector<std::string> complete(CLI::App& app, const std::vector<std::string>& words);

/// Returns the script that connects a shell to complete(). `shell` is bash, zsh or fish. Throws InputError.
std::string completion_script(const std::string& shell);

}  // namespace tributary
