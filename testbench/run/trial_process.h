#pragma once
/// failure_of_trial: an attempt in a process of its own, because SystemC elaborates once per process.

#include <functional>
#include <string>

namespace tributary {

/// Calls a function in a process of its own, whose output is discarded. Returns the text of its exception in one line;
/// empty if it succeeds.
std::string failure_of_trial(const std::function<void()>& trial);

}  // namespace tributary
