#pragma once

#include <vector>

#include "testbench/run/runner.h"

namespace tributary {

/// Prints the errors of observers as warnings. Returns `code`, or exit_unfinished if the run is done and a file is
/// incomplete.
int print_observer_notes(int code, const std::vector<ObserverNote>& notes);

}  // namespace tributary
