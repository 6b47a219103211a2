#pragma once
/// Errors of a command line that cannot be parsed.

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace tributary {

/// Returns the names of the commands that the help shows.
std::vector<std::string> command_names(CLI::App& app);

/// Throws InputError with the first line of an error of CLI11, reworded for unknown names and missing values.
[[noreturn]] void explain(const CLI::ParseError& error, CLI::App& app);

}  // namespace tributary
