#pragma once

#include "testbench/cli/requests/settings.h"

namespace tributary {

/// Every file of results can be written, no two are one, and at most one is standard output. Creates nothing that was not
/// there. Throws InputError.
void check_outputs(const Settings& settings);

}  // namespace tributary
