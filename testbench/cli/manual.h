#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace tributary {

/// Commands of an app that --help shows.
std::vector<CLI::App*> shown_commands(CLI::App& app);

/// The page of the whole program, in man(7).
std::string manual_page(CLI::App& app);
/// The page of one command.
std::string manual_page(const CLI::App& command);

}  // namespace tributary
