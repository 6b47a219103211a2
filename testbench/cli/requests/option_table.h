#pragma once
/// The options of `tributary run`, once: they are the flags of the command line, the keys of a scenario file, and --help.

#include <cstdint>
#include <string>
#include <vector>

namespace tributary {

enum class OptionKind : std::uint8_t { value, list, flag };

struct OptionRow {
  std::string name;      ///< flag without dashes; key of a scenario
  std::string argument;  ///< NAME, FILE ...; empty for a flag
  std::string help;
  std::string unit;      ///< of the argument
  std::string standard;  ///< default, as a text
  OptionKind kind = OptionKind::value;
  bool of_job = false;      ///< may stand in an entry of `jobs` of a scenario
  std::string choice = {};  ///< options of one choice exclude each other
};

const std::vector<OptionRow>& run_options();
/// Null when there is none of that name.
const OptionRow* find_run_option(const std::string& name);
/// What --help says of an option: meaning, unit, default.
std::string describe(const OptionRow& option);

}  // namespace tributary
