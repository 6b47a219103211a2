#pragma once
/// Options of a platform that a file describes: they control how the file is read and how gaps in it are reported.

#include <string>

#include "platforms/topology/platform_description.h"
#include "testbench/cli/requests/settings.h"

namespace tributary {

/// Returns the name of the platform with the values of --fill-nvlink, --sm, --rates and --pcie appended (file_reading.h).
/// Throws InputError if one of these is given and the platform is not `file:FILE`.
std::string with_file_options(const Settings& settings, const std::string& platform);

/// Prints the notes of the platform as warnings on standard error, a line each. If `strict`, throws InputError with the
/// first.
void print_platform_notes(const topology::PlatformDescription& platform, bool strict);

}  // namespace tributary
