#pragma once
/// What `tributary run` was asked to do: the run, and where its results go.

#include <map>
#include <string>

#include "testbench/cli/requests/settings.h"
#include "testbench/report/output_spec.h"
#include "testbench/run/run_spec.h"

namespace tributary {

struct RunRequest {
  RunSpec spec;
  OutputSpec output;
  bool strict = false;  ///< what the platform's file lacks is an error
  std::map<std::string, std::string>
      renamed;  ///< parameters that were set by a name of before, and what they are called now
};

/// A line for each of them, on standard error.
void tell_renamed(const std::map<std::string, std::string>& renamed);

/// Interprets settings, all of them, and checks that every output can be written. Throws InputError.
RunRequest make_run_request(const Settings& settings);

/// A run of `platform` (with `--platform` as its place) with all defaults, to look at.
RunSpec default_run(const Setting& platform);

}  // namespace tributary
