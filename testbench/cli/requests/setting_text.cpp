#include "testbench/cli/requests/setting_text.h"

namespace tributary {

void refuse_platform(const Settings& settings, const std::string& option, const std::string& why,
                     const std::vector<std::string>& kinds) {
  throw InputError(settings.find(option)->where + ": " + why +
                   " (legal: " + (kinds.empty() ? "no --" + option : "on " + join_names(kinds, "and")) + ")");
}

}  // namespace tributary
