#pragma once
/// The options of `tributary run`: the flags of the command line, the keys of a scenario file, and the text of --help.

#include <cstdint>
#include <string>
#include <vector>

namespace tributary {

enum class OptionKind : std::uint8_t { value, list, flag };

struct OptionRow {
  std::string name;      ///< flag without dashes, and key of a scenario
  std::string argument;  ///< NAME, FILE ...; empty for a flag
  std::string help;
  std::string unit;      ///< unit of the argument
  std::string standard;  ///< text of the default
  OptionKind kind = OptionKind::value;
  bool of_job = false;      ///< allowed in an entry of `jobs` of a scenario
  std::string choice = {};  ///< group of options that exclude each other
};

const std::vector<OptionRow>& run_options();
/// Returns null if there is no option of that name.
const OptionRow* find_run_option(const std::string& name);
/// Returns the names of an option for CLI11: `-p,--platform`, or `--json` if it has no letter.
std::string flags_of(const OptionRow& option);
/// Returns the text of --help for an option: meaning, unit and default.
std::string describe(const OptionRow& option);

}  // namespace tributary
