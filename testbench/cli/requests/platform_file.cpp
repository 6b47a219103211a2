#include "testbench/cli/requests/platform_file.h"

#include <algorithm>
#include <iostream>

#include "platforms/topology/files/file_reading.h"
#include "testbench/run/family.h"
#include "testbench/workload/input_error.h"

namespace tributary {

std::string with_file_options(const Settings& settings, const std::string& platform) {
  std::string name = platform;
  for (const std::string& key : topology::file_reading_keys()) {
    std::string option = key;
    std::replace(option.begin(), option.end(), '_', '-');
    const Setting* const given = settings.find(option);
    if (given == nullptr) continue;
    if (platform.find("file:") != std::string::npos && platform.rfind("file:", 0) != 0)
      throw InputError(given->where + " completes file:FILE alone (legal here: --platform " + platform + "+" + key + ":" +
                       given->text + ")");
    if (platform.rfind("file:", 0) != 0)
      throw InputError(given->where + " requires --platform file:FILE (" + platform + " is given)");
    name += "+" + key + ":" + given->text;
  }
  return name;
}

void print_platform_notes(const topology::PlatformDescription& platform, bool strict) {
  for (const std::string& note : notes_of(platform)) {
    if (strict) throw InputError("--platform: " + platform.name() + ": " + note + " (--strict)");
    std::cerr << "tributary: warning: " << platform.name() << ": " << note << '\n';
  }
}

}  // namespace tributary
