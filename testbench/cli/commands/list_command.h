#pragma once

#include <ostream>

#include "testbench/cli/command_line.h"

namespace tributary {

/// `width`: columns of the screen (docs/command_line.md), 0: no limit. `family`, `platform`: only what it can run; null or
/// empty: all that some platform can.
void list_platforms(std::ostream& out, std::size_t width = 0);
void list_collectives(std::ostream& out, std::size_t width = 0, const std::string& platform = "");
void list_algorithms(std::ostream& out, std::size_t width = 0, const std::string& platform = "");
void list_parameters(std::ostream& out, std::size_t width = 0, const Family* family = nullptr);
/// Networks that `train` knows by name; parameters of papers' experiments.
void list_models(std::ostream& out, std::size_t width = 0);
void list_presets(std::ostream& out, std::size_t width = 0);
/// Keys of results and counters.
void list_results(std::ostream& out, std::size_t width = 0);
/// What --plugin may replace.
void list_blocks(std::ostream& out, std::size_t width = 0, const Family* family = nullptr);
/// The parameters as a page of the manual (docs/parameters.md).
void list_parameters_markdown(std::ostream& out);

/// Prints on standard output; returns the exit code. Throws InputError, SetupError.
int list_command(const ListRequest& request);

}  // namespace tributary
