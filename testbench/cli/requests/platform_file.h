#pragma once
/// Options of a platform that a file describes: how the file is read, and what is said of what it lacks.

#include <string>

#include "testbench/cli/requests/settings.h"

namespace tributary {

/// The name of a platform with what --fill-nvlink, --sm, --rates and --pcie say of its file behind (file_reading.h). Throws
/// InputError where one of them is given and the platform is no `file:FILE`.
std::string with_file_options(const Settings& settings, const std::string& platform);

/// Notes of the platform as warnings on standard error, a line each. Throws InputError of the first one if `strict`.
void tell_platform_notes(const std::string& platform, bool strict);

}  // namespace tributary
