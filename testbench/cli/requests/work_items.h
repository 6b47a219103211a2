#pragma once

#include <string>
#include <vector>

#include "testbench/cli/requests/input_files.h"
#include "testbench/cli/requests/settings.h"
#include "testbench/workload/job.h"

namespace tributary {

/// Parses `FROM:TO:xK` to the message sizes FROM, K FROM ... up to TO. Throws InputError without a place.
std::vector<Bytes> parse_sweep(const std::string& text);

/// Sets job.items from --size, --sizes or --messages. Requires job.type and job.collective. Returns true if the items are
/// the layers of a table. Throws InputError.
bool set_work_items(const Settings& settings, InputFiles& files, JobSpec& job);

}  // namespace tributary
