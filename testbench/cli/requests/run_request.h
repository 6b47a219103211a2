#pragma once
/// The request of `tributary run`: the run and the files of its results.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "testbench/cli/measured/measure_request.h"
#include "testbench/cli/requests/input_files.h"
#include "testbench/cli/requests/settings.h"
#include "testbench/report/output_spec.h"
#include "testbench/run/run_spec.h"

namespace tributary {

struct RunRequest {
  RunSpec spec;
  OutputSpec output;
  std::optional<MeasureRequest> measure;       ///< search for the bottleneck by reruns
  bool strict = false;                         ///< warnings about files are errors
  std::vector<std::string> warnings = {};      ///< attributes of schedules of files that the run does not follow, by file
  std::vector<RunSpec> against = {};           ///< the run by other algorithms, for comparison
  std::map<std::string, std::string> renamed;  ///< present names of the parameters that were set by a former name
};

/// Prints a line for each renamed parameter on standard error.
void print_renamed(const std::map<std::string, std::string>& renamed);
/// Prints the warnings about files on standard error. Throws InputError for the first of them with --strict.
void print_warnings(const RunRequest& request);
/// Prints the notes of a request on standard error, unless --quiet is given.
void print_notes(const RunRequest& request);
/// Prints the reason, found at elaboration, why a run uses one thread, if the user has asked for more. Empty: it does not.
void print_one_lane(const RunRequest& request, const std::string& why);

/// Interprets all settings, and checks that every output can be written. Throws InputError.
RunRequest make_run_request(const Settings& settings);
/// Reads a file only if it is not among `files`.
RunRequest make_run_request(const Settings& settings, InputFiles& files);

/// Returns a run of `platform` with all defaults, for inspection. The place of `platform` appears in errors.
RunSpec default_run(const Setting& platform);
RunSpec default_run(const Setting& platform, InputFiles& files);

}  // namespace tributary
