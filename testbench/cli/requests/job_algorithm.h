#pragma once
/// Collective and algorithm of a job.

#include <optional>
#include <string>

#include "testbench/cli/requests/input_files.h"
#include "testbench/cli/requests/settings.h"
#include "testbench/run/family.h"

namespace tributary {

/// Ranks and root of the file of `--algorithm msccl:FILE`.
struct FileAlgorithm {
  int ranks = 0;
  int root = 0;
};

/// Sets the collective and the algorithm that are given, or the default of the family on the platform of `spec`. Returns the
/// ranks and the root of a file. Throws InputError with the place of the option, also if the file has another collective.
std::optional<FileAlgorithm> set_algorithm(const Settings& settings, const Family& family, const RunSpec& spec,
                                           InputFiles& files, JobSpec& job);
/// Returns a note if the algorithm of a job is not given and the platform cannot run the first of its family; else empty.
std::string note_of_default(const Settings& settings, const RunSpec& spec, const JobSpec& job);
/// Sets the ranks and the root of the file if they are not given. Throws InputError if given ones differ from those of the
/// file.
void fit_to_file(const Settings& settings, const Family& family, const RunSpec& spec, const FileAlgorithm& file,
                 JobSpec& job);

}  // namespace tributary
