#pragma once

#include "testbench/run/blocks/stimulus.h"

namespace tributary {

/// Texts of the command line.
struct StimulusRequest {
  StimulusSpec spec;
  std::string count = "1000", seed = "1";
  std::string type, op, operands;  ///< empty: those of the case
};

/// Writes a record of generated requests. Returns the exit code. Throws InputError.
int stimulus_command(const StimulusRequest& request);

}  // namespace tributary
