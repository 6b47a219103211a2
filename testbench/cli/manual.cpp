#include "testbench/cli/manual.h"

#include <cctype>

#include "testbench/cli/help_text.h"

namespace tributary {
namespace {

/// Escapes a text for roff: a hyphen is a minus, and no line begins a request.
std::string roff(const std::string& text) {
  std::string all;
  for (const char c : text) {
    if ((c == '.' || c == '\'') && (all.empty() || all.back() == '\n')) all += "\\&";
    if (c == '\\')
      all += "\\e";
    else
      all += c == '-' ? std::string("\\-") : std::string(1, c);
  }
  return all;
}

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::string head(const std::string& name, const std::string& about) {
  return ".TH " + roff(upper(name)) +
         " 1 \"" TRIBUTARY_RELEASED "\" \"tributary " TRIBUTARY_VERSION "\" \"User Commands\"\n.SH NAME\n" + roff(name) +
         " \\- " + roff(about) + "\n";
}

std::string item(const std::string& name, const std::string& argument, const std::string& about) {
  return ".TP\n\\fB" + roff(name) + "\\fR" + (argument.empty() ? "" : " \\fI" + roff(argument) + "\\fR") + "\n" +
         roff(about) + "\n";
}

std::string option_item(const CLI::Option& option) {
  return item(option.nonpositional() ? option.get_name(false, true) : option.get_name(true), option.get_type_name(),
              option.get_description());
}

/// Formats the arguments, then the options by their purpose.
std::string option_items(const CLI::App& command) {
  std::string text;
  for (const CLI::Option* option : command.get_options())
    if (option->get_positional()) text += option_item(*option);
  const auto groups = grouped_options(command);
  for (const auto& [title, options] : groups) {
    if (groups.size() > 1) text += ".SS " + roff(title) + "\n";
    for (const CLI::Option* option : options) text += option_item(*option);
  }
  return text;
}

std::string examples(const std::string& command) {
  if (examples_of(command).empty()) return "";
  std::string text = ".SH EXAMPLES\n";
  for (const Example& e : examples_of(command)) text += ".TP\n" + roff(e.about) + "\n.nf\n" + roff(e.command) + "\n.fi\n";
  return text;
}

std::string synopsis(const CLI::App& command) {
  std::string text = ".SH SYNOPSIS\n.B tributary " + roff(command.get_name()) + "\n[options]";
  for (const CLI::Option* option : command.get_options())
    if (option->get_positional()) text += " [\\fI" + roff(option->get_name(true)) + "\\fR]";
  return text + "\n";
}

std::string see_also(const std::string& pages) { return ".SH SEE ALSO\n" + pages + "\n"; }

}  // namespace

std::vector<CLI::App*> shown_commands(CLI::App& app) {
  return app.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
}

std::string manual_page(CLI::App& app) {
  std::string text = head("tributary", "simulator of in-network reduction hardware") +
                     ".SH SYNOPSIS\n.B tributary\n\\fICOMMAND\\fR [options]\n.SH DESCRIPTION\n" +
                     roff(app.get_description()) + "\n.SH COMMANDS\n";
  std::string pages;
  for (const CLI::App* command : shown_commands(app)) {
    text += item(command->get_name(), "", command->get_description());
    pages += (pages.empty() ? "" : ",\n") + (".BR tributary\\-" + roff(command->get_name()) + " (1)");
  }
  text += ".SH OPTIONS\n";
  for (const CLI::Option* option : app.get_options()) text += option_item(*option);
  return text + examples("") + see_also(pages);
}

std::string manual_page(const CLI::App& command) {
  const std::string codes = exit_codes_of(command.get_name());
  return head("tributary-" + command.get_name(), command.get_description()) + synopsis(command) + ".SH OPTIONS\n" +
         option_items(command) + ".SH EXIT STATUS\n" + roff(codes) + "\n" + examples(command.get_name()) +
         see_also(".BR tributary (1)");
}

}  // namespace tributary
