#pragma once
/// Platforms that `run` accepts.

#include <string>

#include "testbench/cli/requests/input_files.h"
#include "testbench/run/choices.h"

namespace tributary {

/// Returns a platform, whose name is completed; its files are among `files`. Throws InputError with the nearest names.
/// `where` is the place of the name.
topology::PlatformDescription find_platform(const std::string& name, const std::string& where, InputFiles& files);

}  // namespace tributary
