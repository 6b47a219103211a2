#pragma once
/// The help of commands: grouped, wrapped, and with examples at the end. The manual pages have the same groups and examples.

#include <CLI/App.hpp>
#include <string>
#include <utility>
#include <vector>

namespace tributary {

struct Example {
  std::string about, command;
};

/// Titles and the items under them.
template <class Item>
using Groups = std::vector<std::pair<std::string, std::vector<Item>>>;

/// Returns three examples of a command, or of the whole program for an empty name.
const std::vector<Example>& examples_of(const std::string& command);
/// Returns the text about the exit codes of a command.
std::string exit_codes_of(const std::string& command);
/// Groups all options with a name by their purpose.
Groups<const CLI::Option*> grouped_options(const CLI::App& command);
/// Groups all commands that are shown by their purpose.
Groups<const CLI::App*> grouped_commands(const CLI::App& app);

/// Returns the text of `--help` in lines of at most `width` characters (0: 80) unless a word is longer.
std::string command_help(const CLI::App& command, std::size_t width);
std::string program_help(const CLI::App& app, std::size_t width);

}  // namespace tributary
