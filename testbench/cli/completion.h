#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace tributary {

/// What the last of the words after `tributary` may become, one candidate each; empty where a file name is expected. A
/// candidate that ends in `=` or a dot goes on.
std::vector<std::string> complete(CLI::App& app, const std::vector<std::string>& words);

/// The script that makes a shell ask for these. `shell` is bash, zsh or fish. Throws InputError.
std::string completion_script(const std::string& shell);

}  // namespace tributary
