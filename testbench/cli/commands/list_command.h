#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "testbench/cli/command_line.h"
#include "testbench/cli/requests/carried_algorithms.h"

namespace tributary {

/// Returns the subjects of `tributary list`, in the order of its help.
const std::vector<std::string>& list_subjects();

/// These functions print tables. `width` is the number of columns of the screen (docs/command_line.md), 0 for no limit.
/// `family`, or the algorithms of a platform, restrict a table to their own entries; null for all.
void list_platforms(std::ostream& out, std::size_t width = 0);
void list_collectives(std::ostream& out, std::size_t width = 0, const std::vector<Algorithm>* carried = nullptr);
void list_algorithms(std::ostream& out, std::size_t width = 0, const std::vector<CheckedAlgorithm>* checked = nullptr);
void list_parameters(std::ostream& out, std::size_t width = 0, const Family* family = nullptr);
/// Prints the blocks that have stimulus, with their cases.
void list_stimulus(std::ostream& out, std::size_t width = 0);
/// Print the models that ship with `train`, and the presets of papers' experiments.
void list_models(std::ostream& out, std::size_t width = 0);
void list_presets(std::ostream& out, std::size_t width = 0);
/// Prints the keys of results and counters.
void list_results(std::ostream& out, std::size_t width = 0);
/// Prints the blocks that --plugin may replace.
void list_blocks(std::ostream& out, std::size_t width = 0, const Family* family = nullptr);
/// Prints the pins of blocks that may be written in RTL, or of one of them. Throws std::invalid_argument for an unknown one.
void list_pins(std::ostream& out, std::size_t width = 0, const std::string& block = "");
/// Prints the parameters as a page of the manual (docs/parameters.md).
void list_parameters_markdown(std::ostream& out);

/// Prints the list on standard output. Returns the exit code. Throws InputError and SetupError.
int list_command(const ListRequest& request);

}  // namespace tributary
