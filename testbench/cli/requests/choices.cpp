#include "testbench/cli/requests/choices.h"

#include "testbench/cli/requests/option_text.h"
#include "testbench/run/errors.h"

namespace tributary {

topology::PlatformDescription find_platform(const std::string& name, const std::string& where, InputFiles& files) {
  try {
    return with_place(where, [&] {
      const topology::PlatformDescription& given = files.platform(name);
      return files.platform(family_of(given).platform(given).name);
    });
  } catch (const SetupError& error) {
    throw InputError(where + ": " + error.what());
  }
}

}  // namespace tributary
