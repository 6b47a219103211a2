#include "testbench/cli/help_text.h"

#include <algorithm>

#include "modules/base/text_format.h"
#include "testbench/cli/option_groups.h"
#include "testbench/report/screen_width.h"

namespace tributary {
namespace {

constexpr std::size_t standard_width = 80, names_width = 26;

/// Formats `  --size SIZE             meaning` and wraps the second column. A long name has a line of its own.
std::string entry(const std::string& name, const std::string& about, std::size_t width) {
  const std::string head = "  " + name;
  const std::string start =
      head.size() + 2 > names_width ? head + "\n" + std::string(names_width, ' ') : left(head, names_width);
  return start + wrapped(about, width, names_width, names_width) + "\n";
}

/// Wraps a command so that a shell still reads it as one command.
std::string example_text(const std::string& command, std::size_t width) {
  if (width == 0 || 4 + command.size() <= width) return command;
  std::string text = wrapped(command, width - 2, 6, 4);
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 3) text.insert(at, " \\");
  return text;
}

std::string examples_text(const std::string& command, std::size_t width) {
  std::string text;
  for (const Example& e : examples_of(command))
    text += "  " + wrapped(e.about + ":", width, 2, 2) + "\n    " + example_text(e.command, width) + "\n";
  return text.empty() ? "" : "\nExamples:\n" + text;
}

std::string name_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return option.get_name(false, true) + (type.empty() ? "" : " " + type);
}

/// Groups items in the order of the table. The last group holds items that the table does not name.
template <class Item, class NameOf>
Groups<Item> grouped(const std::vector<Item>& items, const NameGroups& table, const std::string& others, NameOf name) {
  Groups<Item> groups;
  std::vector<Item> rest = items;
  for (const auto& [title, names] : table) {
    std::vector<Item> found;
    for (const std::string& wanted : names) {
      const auto item = std::find_if(rest.begin(), rest.end(), [&](const Item& i) { return name(i) == wanted; });
      if (item == rest.end()) continue;
      found.push_back(*item);
      rest.erase(item);
    }
    if (!found.empty()) groups.emplace_back(title, found);
  }
  if (!rest.empty()) groups.emplace_back(groups.empty() ? "Options" : others, rest);
  return groups;
}

}  // namespace

Groups<const CLI::Option*> grouped_options(const CLI::App& command) {
  std::vector<const CLI::Option*> options;
  for (const CLI::Option* option : command.get_options())
    if (option->nonpositional()) options.push_back(option);
  return grouped(options, option_groups(command.get_name()), "More options",
                 [](const CLI::Option* o) { return o->get_lnames().empty() ? o->get_name() : o->get_lnames().front(); });
}

Groups<const CLI::App*> grouped_commands(const CLI::App& app) {
  const auto commands = app.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
  return grouped(std::vector<const CLI::App*>(commands.begin(), commands.end()), command_groups(), "More commands",
                 [](const CLI::App* c) { return c->get_name(); });
}

std::string command_help(const CLI::App& command, std::size_t width) {
  if (width == 0) width = standard_width;
  std::string usage = "usage: tributary " + command.get_name() + " [OPTIONS]", arguments;
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_positional()) continue;
    usage += " [" + option->get_name(true) + "]";
    arguments += entry(option->get_name(true), option->get_description(), width);
  }
  std::string text =
      wrapped("tributary " + command.get_name() + ": " + command.get_description(), width, 2, 0) + "\n\n" + usage + "\n";
  if (!arguments.empty()) text += "\n" + arguments;
  for (const auto& [title, options] : grouped_options(command)) {
    text += "\n" + title + ":\n";
    for (const CLI::Option* option : options) text += entry(name_of(*option), option->get_description(), width);
  }
  if (const std::string codes = exit_codes_of(command.get_name()); !codes.empty())
    text += "\n" + wrapped("Exit codes: " + codes, width, 2, 0) + "\n";
  return text + examples_text(command.get_name(), width);
}

std::string program_help(const CLI::App& app, std::size_t width) {
  if (width == 0) width = standard_width;
  std::string text = wrapped(app.get_description(), width, 2, 0) + "\n\nusage: tributary COMMAND [OPTIONS]\n";
  for (const auto& [title, commands] : grouped_commands(app)) {
    text += "\n" + title + ":\n";
    for (const CLI::App* command : commands) text += entry(command->get_name(), command->get_description(), width);
  }
  text += "\nOptions:\n";
  for (const CLI::Option* option : app.get_options()) text += entry(name_of(*option), option->get_description(), width);
  text += "\n" + wrapped("The options of a command: tributary help COMMAND.", width, 2, 0) + "\n";
  return text + examples_text("", width);
}

}  // namespace tributary
