#pragma once
/// Makes a job of the names and options of a posted collective.

#include <string>

#include "testbench/by_name/post_options.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// Returns the job with its only message. Throws InputError, or what readers of schedule files throw, in one line.
JobSpec named_job(const RunSpec& machine, const std::string& collective, const std::string& algorithm, Bytes message,
                  const PostOptions& options);
/// Returns a job of the platform's first collective by its default algorithm.
JobSpec default_job(const RunSpec& machine);

}  // namespace tributary
