#pragma once

#include <string>
#include <vector>

#include "testbench/cli/settings.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// Message sizes of `FROM:TO:xK`: FROM, K FROM ... up to TO. Throws InputError, without place.
std::vector<Bytes> parse_sweep(const std::string& text);

/// Fills spec.items from --size, --sizes or --messages; needs spec.job.type. Throws InputError.
void set_work_items(const Settings& settings, RunSpec& spec);

}  // namespace tributary
