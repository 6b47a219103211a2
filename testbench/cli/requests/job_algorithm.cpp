#include "testbench/cli/requests/job_algorithm.h"

#include <string>

#include "testbench/cli/requests/option_text.h"
#include "testbench/interchange/msccl/import.h"
#include "testbench/run/choices.h"
#include "testbench/run/facets/placement.h"
#include "testbench/run/facets/schedule_files.h"
#include "testbench/workload/collective.h"
#include "testbench/workload/input_error.h"

namespace tributary {
namespace {

Setting setting_or_first(const Settings& settings, const std::string& option, const std::string& first) {
  const Setting* given = settings.find(option);
  return given ? *given : Setting{first, "--" + option};
}

}  // namespace

std::string note_of_default(const Settings& settings, const RunSpec& spec, const JobSpec& job) {
  if (settings.has("algorithm")) return "";
  const auto own = own_default(family_of(spec.platform), spec.platform, job.collective, spec.parameters);
  return own ? own->name + " is the default on " + spec.platform.name() + ": " + own->reason : "";
}

std::optional<FileAlgorithm> set_algorithm(const Settings& settings, const Family& family, const RunSpec& spec,
                                           InputFiles& files, JobSpec& job) {
  const topology::PlatformDescription& platform = spec.platform;
  const Setting* const named = settings.find("algorithm");
  if (named != nullptr && msccl::names_file(named->text)) {
    const FamilyScheduleFiles* const importer = family.facets().schedule_files;
    if (importer == nullptr)
      throw InputError(named->where + ": " + family.endpoint().platforms +
                       " do not execute schedules of files (legal: names of `list algorithms --platform " + platform.name() +
                       "`)");
    const msccl::ImportedSchedule& file = files.schedule(*named, *importer);
    const Setting collective = setting_or_first(settings, "collective", file.collective);
    if (collective.text != file.collective)
      throw InputError(collective.where + ": " + collective.text + " is given, but the file is for " + file.collective +
                       " (legal: " + file.collective + ", or no --collective)");
    job.collective = file.collective;
    job.algorithm = named->text;
    job.imported = std::make_shared<const collective::Schedule>(file.schedule);
    return FileAlgorithm{file.schedule.ranks, file.root};
  }
  const std::vector<Algorithm> known = family.algorithms();
  const Setting collective = setting_or_first(settings, "collective", known.front().collective);
  const CollectiveEntry entry = find_collective(known, collective.text, collective.where);
  const std::optional<DefaultAlgorithm> own = own_default(family, platform, entry.name, spec.parameters);
  const Setting algorithm = setting_or_first(settings, "algorithm", own ? own->name : entry.algorithms.front().name);
  job.collective = entry.name;
  job.algorithm = find_algorithm_on(platform, entry, algorithm.text, algorithm.where).name;
  return std::nullopt;
}

void fit_to_file(const Settings& settings, const Family& family, const RunSpec& spec, const FileAlgorithm& file,
                 JobSpec& job) {
  const std::string where = settings.find("algorithm")->where;
  const int most = family.platform(spec.platform).endpoints;
  if (file.ranks > most)
    throw InputError(where + ": the file is for " + std::to_string(file.ranks) + " ranks, " + spec.platform.name() +
                     " has " + std::to_string(most) + " (legal: files for at most that number)");
  if (!settings.has("gpus") && !settings.has("ranks")) job.ranks = placement_of(family).place(spec, file.ranks);
  if (job.ranks.size() != static_cast<std::size_t>(file.ranks))
    throw InputError(where + ": the file is for " + std::to_string(file.ranks) + " ranks, " +
                     std::to_string(job.ranks.size()) + " take part (legal: the ranks of the file)");
  if (settings.has("root") && job.root != file.root)
    throw InputError(settings.find("root")->where + ": the root of the file is rank " + std::to_string(file.root) +
                     " (legal: this rank, or no --root)");
  job.root = file.root;
}

}  // namespace tributary
