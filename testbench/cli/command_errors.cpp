#include "testbench/cli/command_errors.h"

#include <algorithm>

#include "modules/base/nearest.h"
#include "testbench/cli/manual.h"
#include "testbench/cli/requests/renamed_options.h"
#include "testbench/workload/input_error.h"

namespace tributary {
namespace {

/// Refuses an option that other commands have, unless the name of an own option begins with it.
void refuse_option_of_others(CLI::App& app, const CLI::App& command, const std::string& option,
                             const std::vector<std::string>& own) {
  const bool begins_own = std::any_of(own.begin(), own.end(), [&](const auto& name) { return name.rfind(option, 0) == 0; });
  std::vector<std::string> others;
  for (const CLI::App* other : shown_commands(app))
    if (other->get_option_no_throw(option) != nullptr) others.push_back(other->get_name());
  if (!begins_own && !others.empty())
    throw InputError("unknown option '" + option + "' of " + command.get_name() + "; it is one of " +
                     join_names(others, "and") + " (see tributary " + command.get_name() + " --help)");
}

}  // namespace

std::vector<std::string> command_names(CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : shown_commands(app)) names.push_back(command->get_name());
  return names;
}

void explain(const CLI::ParseError& error, CLI::App& app) {
  const CLI::App* command = &app;
  for (const CLI::App* chosen : app.get_subcommands()) command = chosen;
  const auto rest = app.remaining(true);
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !rest.empty()) {
    const std::string extra = rest.front().substr(0, rest.front().find('='));
    std::vector<std::string> names;
    if (command == &app) throw InputError(unknown_name("command", extra, command_names(app)));
    for (const CLI::Option* option : command->get_options())
      if (option->nonpositional()) names.push_back(option->get_name());
    if (extra.rfind("--", 0) == 0) refuse_renamed_option(command->get_name(), extra.substr(2), {"", extra});
    if (extra.empty() || extra.front() != '-') {
      const bool has_platform = command->get_option_no_throw("--platform") != nullptr;
      throw InputError("unexpected argument '" + extra + "' (" +
                       (has_platform ? "a platform is given by --platform " + extra + "; " : "") + "see --help)");
    }
    refuse_option_of_others(app, *command, extra, names);
    throw InputError(unknown_name("option", extra, names, false) + " (see tributary " + command->get_name() + " --help)");
  }
  const std::string what = error.what();
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr)
    throw InputError(what.substr(0, what.find(':')) + ": a value is missing (see --help)");
  throw InputError(what.substr(0, what.find('\n')));
}

}  // namespace tributary
