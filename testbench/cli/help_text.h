#pragma once
/// The help of commands: grouped, wrapped, with examples at its end. The manual pages have the same groups and examples.

#include <CLI/App.hpp>
#include <string>
#include <utility>
#include <vector>

namespace tributary {

struct Example {
  std::string about, command;
};

/// A title, and what stands under it.
template <class Item>
using Groups = std::vector<std::pair<std::string, std::vector<Item>>>;

/// Three of a command; of the whole program with an empty name.
const std::vector<Example>& examples_of(const std::string& command);
/// One line or more; empty for a command that knows 0 and 2 alone.
std::string exit_codes_of(const std::string& command);
/// Options with a name, by their purpose; none is left out.
Groups<const CLI::Option*> grouped_options(const CLI::App& command);
/// Commands that are shown, by their purpose; none is left out.
Groups<const CLI::App*> grouped_commands(const CLI::App& app);

/// What `--help` prints: lines of at most `width` characters (0: 80), but for longer words.
std::string command_help(const CLI::App& command, std::size_t width);
std::string program_help(const CLI::App& app, std::size_t width);

}  // namespace tributary
