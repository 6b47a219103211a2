#pragma once
/// Options, values and parameters that have a new name. An old name is refused in one line that holds the new one.

#include <string>

#include "testbench/cli/requests/settings.h"

namespace tributary {

/// Throws InputError if `option` of `command` was renamed: `--engine was renamed: use --mode`. `given` holds the value and
/// the place of the option.
void refuse_renamed_option(const std::string& command, const std::string& option, const Setting& given);
/// Throws InputError if the value of `option` was renamed: `--fidelity: memo was renamed: use isolated`.
void refuse_renamed_value(const std::string& option, const Setting& given);
/// Throws InputError if the path of an assignment `PATH=VALUE` was renamed: `--set: comm.mode was renamed: use
/// comm.grouping`.
void refuse_renamed_parameter(const Setting& assignment);

}  // namespace tributary
