#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace tributary {

/// Returns the commands that --help shows.
std::vector<CLI::App*> shown_commands(CLI::App& app);

/// Returns the page of the whole program in man(7) format.
std::string manual_page(CLI::App& app);
/// Returns the page of one command.
std::string manual_page(const CLI::App& command);

}  // namespace tributary
