#pragma once

#include "testbench/cli/explore/explore_request.h"

namespace tributary {

/// Checks the file of --html: it can be written, and is neither an input nor a file of --out. The folder of --out need not
/// exist yet. Throws InputError.
void check_page_file(const ExploreRequest& request);

}  // namespace tributary
