#pragma once

#include <functional>

namespace tributary {

/// Returns the exit code of `command`. An exception becomes one line on standard error and an exit code.
int guarded(const std::function<int()>& command);

}  // namespace tributary
