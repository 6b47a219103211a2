#include "testbench/by_name/rounds/named_job.h"

#include <algorithm>
#include <set>

#include "modules/base/nearest.h"
#include "testbench/interchange/msccl/import.h"
#include "testbench/run/choices.h"
#include "testbench/run/facets/placement.h"
#include "testbench/run/facets/schedule_files.h"
#include "testbench/run/message_size.h"
#include "testbench/workload/collective.h"
#include "testbench/workload/input_error.h"

namespace tributary {
namespace {

const char* const place = "post";  // place of the names and values in errors

[[noreturn]] void refuse(const std::string& what, const std::string& legal) {
  throw InputError(std::string(place) + ": " + what + " (legal: " + legal + ")");
}

std::string below(std::size_t count) { return "0 to " + std::to_string(count - 1); }

/// Returns the names of the collectives that have the trait.
std::string collectives_with(bool Collective::*trait) {
  std::vector<std::string> names;
  for (const Collective& c : collectives())
    if (c.*trait) names.emplace_back(c.name);
  return "with " + join_names(names);
}

/// Sets the algorithm `msccl:FILE`, and the ranks and the root of the file.
void import(const Family& family, const RunSpec& machine, const std::string& collective, JobSpec& job) {
  const FamilyScheduleFiles* const importer = family.facets().schedule_files;
  if (importer == nullptr)
    refuse(std::string(family.endpoint().platforms) + " do not execute schedules of files", "names of algorithms");
  const msccl::ImportedSchedule file = importer->import(job.algorithm);
  if (file.collective != collective)
    refuse(job.algorithm + " is for " + file.collective + ", not for " + collective, file.collective);
  job.collective = file.collective;
  job.root = file.root;
  job.imported = std::make_shared<const collective::Schedule>(file.schedule);
  const int most = family.platform(machine.platform).endpoints;
  if (file.schedule.ranks > most)
    refuse(job.algorithm + " is for " + std::to_string(file.schedule.ranks) + " ranks, and " + machine.platform.name() +
               " has " + std::to_string(most),
           "files for at most that number");
}

void set_names(const Family& family, const RunSpec& machine, const std::string& collective, const std::string& algorithm,
               JobSpec& job) {
  job.algorithm = algorithm;
  if (msccl::names_file(algorithm)) return import(family, machine, collective, job);
  const CollectiveEntry entry = find_collective(family.algorithms(), collective, place);
  job.collective = entry.name;
  job.algorithm = find_algorithm_on(machine.platform, entry, algorithm, place).name;
}

void check_ranks(const Family& family, const RunSpec& machine, const std::vector<int>& ranks) {
  const EndpointWords words = family.endpoint_of(machine.platform);
  const int endpoints = family.platform(machine.platform).endpoints;
  std::set<int> seen;
  for (const int rank : ranks) {
    const std::string endpoint = words.device + std::to_string(rank);
    if (rank < 0 || rank >= endpoints)
      refuse(machine.platform.name() + " has no " + endpoint, below(static_cast<std::size_t>(endpoints)));
    if (!seen.insert(rank).second) refuse(endpoint + " has two ranks", std::string("each ") + words.singular + " once");
  }
  if (ranks.size() < 2)
    refuse("a collective of " + std::to_string(ranks.size()) + " " + words.plural, "2 to " + std::to_string(endpoints));
}

void set_ranks(const Family& family, const RunSpec& machine, const PostOptions& options, JobSpec& job) {
  const FamilyPlacement& placement = placement_of(family);
  const int most = family.platform(machine.platform).endpoints;
  int count = job.imported ? job.imported->ranks : placement.participants(machine, job);
  if (options.count != 0) count = options.count;
  if (count < 2 || count > most)
    refuse("a collective of " + std::to_string(count) + " " + family.endpoint_of(machine.platform).plural,
           "2 to " + std::to_string(most));
  if (!options.ranks.empty()) placement.check_rank_list(machine);
  job.ranks = options.ranks.empty() ? placement.place(machine, count) : options.ranks;
  check_ranks(family, machine, job.ranks);
  if (job.imported && static_cast<std::size_t>(job.imported->ranks) != job.ranks.size())
    refuse(job.algorithm + " is for " + std::to_string(job.imported->ranks) + " ranks, and " +
               std::to_string(job.ranks.size()) + " take part",
           "the ranks of the file");
}

void set_root(const PostOptions& options, JobSpec& job) {
  const Collective& collective = collective_of(job.collective);
  if (options.root != 0 && !collective.rooted)
    refuse(job.collective + " has no root", collectives_with(&Collective::rooted));
  if (options.root < 0 || static_cast<std::size_t>(options.root) >= job.ranks.size())
    refuse("there is no rank " + std::to_string(options.root) + " for the root", below(job.ranks.size()));
  if (!job.imported) job.root = options.root;
}

/// Sets the targets of a multicast. Its group is the root and the targets, at least two ranks.
void set_targets(const PostOptions& options, JobSpec& job) {
  const Collective& collective = collective_of(job.collective);
  if (!collective.targeted && !options.targets.empty())
    refuse(job.collective + " has no targets", collectives_with(&Collective::targeted));
  if (!collective.targeted) return;
  if (options.targets.empty())
    refuse("a " + job.collective + " needs targets, the ranks that receive", below(job.ranks.size()));
  const std::set<int> different(options.targets.begin(), options.targets.end());
  if (different.size() != options.targets.size()) refuse("a target is listed twice", "each rank once");
  if (*different.begin() < 0 || static_cast<std::size_t>(*different.rbegin()) >= job.ranks.size())
    refuse("a target is no rank", below(job.ranks.size()));
  if (options.targets == std::vector<int>{job.root}) refuse("the only target is the root", "at least one other rank");
  job.targets = options.targets;
}

}  // namespace

JobSpec named_job(const RunSpec& machine, const std::string& collective, const std::string& algorithm, Bytes message,
                  const PostOptions& options) {
  const Family& family = family_of(machine.platform);
  JobSpec job;
  set_names(family, machine, collective, algorithm, job);
  set_ranks(family, machine, options, job);
  job.type = options.type;
  job.op = options.op;
  const Collective& row = collective_of(job.collective);
  if (job.op != ReduceOp::sum && !row.reduces)
    refuse(job.collective + " reduces nothing", collectives_with(&Collective::reduces));
  set_root(options, job);
  set_targets(options, job);
  if (options.operands && row.signals()) refuse("a " + job.collective + " has no data", "no operands");
  if (options.operands && machine.data == DataMode::none) refuse("the machine stores no data", "no operands");
  if (!options.delays.empty() && options.delays.size() != job.ranks.size())
    refuse(std::to_string(options.delays.size()) + " delays for " + std::to_string(job.ranks.size()) + " ranks",
           "one for each rank, or none");
  job.skew.each = options.delays;
  check_message(job, message, place);
  job.items = {{"", message}};
  return job;
}

JobSpec default_job(const RunSpec& machine) {
  const Family& family = family_of(machine.platform);
  const Algorithm first = family.algorithms().front();
  const auto own = own_default(family, machine.platform, first.collective, machine.parameters);
  return named_job(machine, first.collective, own ? own->name : first.name, 128_B, {});
}

}  // namespace tributary
