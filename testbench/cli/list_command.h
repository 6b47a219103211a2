#pragma once

#include <ostream>

#include "testbench/cli/command_line.h"

namespace tributary {

void list_platforms(std::ostream& out);
void list_collectives(std::ostream& out);
void list_algorithms(std::ostream& out);
void list_parameters(std::ostream& out);
/// Networks that `train` knows by name; parameters of papers' experiments.
void list_models(std::ostream& out);
void list_presets(std::ostream& out);
/// What --plugin may replace.
void list_blocks(std::ostream& out);
/// The same as a page of the manual (docs/parameters.md).
void list_parameters_markdown(std::ostream& out);

/// Prints on standard output; returns the exit code. Throws InputError, SetupError.
int list_command(const ListRequest& request);

}  // namespace tributary
