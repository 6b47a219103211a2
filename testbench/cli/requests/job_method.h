#pragma once
/// Collective and algorithm of a job.

#include <optional>

#include "testbench/cli/requests/input_files.h"
#include "testbench/cli/requests/settings.h"
#include "testbench/run/family.h"

namespace tributary {

/// What the file of `--algorithm msccl:FILE` says beside its schedule.
struct FileMethod {
  int ranks = 0;
  int root = 0;
};

/// Those given, or the first of the family. Throws InputError with the place of the option, also for a file that is not what
/// the collective asks for.
std::optional<FileMethod> set_method(const Settings& settings, const Family& family, const std::string& platform,
                                     InputFiles& files, JobSpec& job);
/// The ranks that the file is for, where they are not given; they and the root must be those of the file.
void fit_to_file(const Settings& settings, const Family& family, const RunSpec& spec, const FileMethod& file, JobSpec& job);

}  // namespace tributary
