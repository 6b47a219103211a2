#pragma once
/// What a command line that cannot be read is told.

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace tributary {

/// Those that the help shows.
std::vector<std::string> command_names(CLI::App& app);

/// The first line of what CLI11 has to say, in our words where it matters.
[[noreturn]] void explain(const CLI::ParseError& error, CLI::App& app);

}  // namespace tributary
