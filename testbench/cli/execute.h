#pragma once
/// The life of every executable with this command line: arguments, command, exit code.

#include <string>
#include <vector>

#include "testbench/cli/command_line.h"

namespace tributary {

/// Parses the arguments without the name of the program. Throws InputError for every error but a lack of memory.
Command read_command(const std::vector<std::string>& arguments);
/// Executes a command, and returns the exit code.
int execute(const Command& command);
/// Throws std::runtime_error if standard output is incomplete, as undelivered results are a failure.
void check_standard_output();

}  // namespace tributary
