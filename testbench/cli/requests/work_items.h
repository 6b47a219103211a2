#pragma once

#include <string>
#include <vector>

#include "testbench/cli/requests/input_files.h"
#include "testbench/cli/requests/settings.h"
#include "testbench/workload/job.h"

namespace tributary {

/// Message sizes of `FROM:TO:xK`: FROM, K FROM ... up to TO. Throws InputError, without place.
std::vector<Bytes> parse_sweep(const std::string& text);

/// Fills job.items from --size, --sizes or --messages; needs job.type and job.collective. True when they are layers of a
/// table. Throws InputError.
bool set_work_items(const Settings& settings, InputFiles& files, JobSpec& job);

}  // namespace tributary
