#pragma once

#include <functional>

namespace tributary {

/// The exit code of `command`; what it throws becomes one line on standard error and its code.
int guarded(const std::function<int()>& command);

}  // namespace tributary
