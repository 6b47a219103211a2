#pragma once
/// Interprets the texts of given options.

#include <string>
#include <vector>

#include "testbench/cli/requests/option_text.h"
#include "testbench/cli/requests/settings.h"

namespace tributary {

/// Runs `interpret` on the text of an option. An error begins with the option's place.
template <class F>
void with(const Settings& settings, const std::string& option, F interpret) {
  for (const Setting& setting : settings.all(option)) with_place(setting.where, [&] { interpret(setting.text); });
}

/// Throws InputError: the option is given on a platform that lacks what it requires. `kinds`: platforms that have it.
[[noreturn]] void refuse_platform(const Settings& settings, const std::string& option, const std::string& why,
                                  const std::vector<std::string>& kinds);

}  // namespace tributary
