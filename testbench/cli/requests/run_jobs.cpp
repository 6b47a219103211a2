#include "testbench/cli/requests/run_jobs.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/nearest.h"
#include "testbench/cli/requests/job_algorithm.h"
#include "testbench/cli/requests/rank_list.h"
#include "testbench/cli/requests/setting_text.h"
#include "testbench/cli/requests/work_items.h"
#include "testbench/run/facets/kernels.h"
#include "testbench/run/facets/placement.h"
#include "testbench/run/family.h"
#include "testbench/workload/collective.h"
#include "testbench/workload/input_error.h"

namespace tributary {
namespace {

constexpr Time latest_start = 1000_ms;

template <class E>
std::vector<std::pair<std::string, E>> names_of() {
  std::vector<std::pair<std::string, E>> names;
  for (const auto& [value, name] : EnumNames<E>::names()) names.emplace_back(name, value);
  return names;
}

void set_ranks(const Settings& settings, const Family& family, const RunSpec& spec, JobSpec& job) {
  const EndpointWords words = family.endpoint_of(spec.platform);
  const PlatformName platform = family.platform(spec.platform);
  const FamilyPlacement& placement = placement_of(family);
  int count = placement.participants(spec, job);
  with(settings, "gpus", [&](const std::string& text) { count = parse_rank_count(text, platform.endpoints, words.plural); });
  job.ranks = placement.place(spec, count);
  with(settings, "ranks", [&](const std::string& text) {
    placement.check_rank_list(spec);
    job.ranks = parse_rank_list(text, platform.endpoints, words.singular);
  });
}

/// Returns the names of the collectives that have the trait.
std::vector<std::string> collectives_with(bool Collective::*trait) {
  std::vector<std::string> names;
  for (const Collective& c : collectives())
    if (c.*trait) names.emplace_back(c.name);
  return names;
}

void set_root(const Settings& settings, JobSpec& job) {
  with(settings, "root", [&](const std::string& text) {
    if (!collective_of(job.collective).rooted)
      throw InputError(job.collective + " has no root (legal with " + join_names(collectives_with(&Collective::rooted)) +
                       ")");
    const std::uint64_t root = parse_count(text, ~std::uint64_t{0});
    if (root >= job.ranks.size())
      throw InputError("the job has no rank " + text + " (legal: 0 to " + std::to_string(job.ranks.size() - 1) + ")");
    job.root = static_cast<int>(root);
  });
}

/// Sets the targets of a multicast. Its group is the root and the targets, at least two ranks.
void set_targets(const Settings& settings, JobSpec& job) {
  const bool targeted = collective_of(job.collective).targeted;
  with(settings, "targets", [&](const std::string& text) {
    if (!targeted)
      throw InputError(job.collective + " has no targets (legal with " +
                       join_names(collectives_with(&Collective::targeted)) + ")");
    job.targets = parse_targets(text, static_cast<int>(job.ranks.size()));
    if (job.targets == std::vector<int>{job.root})
      throw InputError("the only target is the root, rank " + text + " (legal: at least one other rank)");
  });
  if (targeted && !settings.has("targets"))
    throw InputError("--collective: a " + job.collective + " requires --targets LIST, the ranks that receive (legal: 0 to " +
                     std::to_string(job.ranks.size() - 1) + ")");
}

void set_back_to_back(const Settings& settings, const Family& family, JobSpec& job) {
  with(settings, "back-to-back", [&](const std::string& text) {
    job.back_to_back = static_cast<unsigned>(parse_count_within(text, 1, 1000));
    const FamilyKernels* const kernels = family.facets().kernels;
    if (job.back_to_back > 1 && (kernels == nullptr || !kernels->has_kernels(job)))
      throw InputError(job.algorithm + " has no kernels that follow one another (legal: --algorithm nccl or nvls, on " +
                       join_names(platform_kinds_with(&FamilyFacets::kernels), "or") + ")");
  });
}

/// Makes a job from its own settings only.
JobSpec make_job(const Settings& settings, InputFiles& files, RunSpec& spec) {
  JobSpec job;
  const Family& family = family_of(spec.platform);
  const std::optional<FileAlgorithm> file = set_algorithm(settings, family, spec, files, job);
  set_ranks(settings, family, spec, job);
  with(settings, "dtype", [&](const std::string& text) { job.type = parse_name(text, names_of<ElementType>()); });
  with(settings, "op", [&](const std::string& text) {
    job.op = parse_name(text, names_of<ReduceOp>());
    if (!collective_of(job.collective).reduces)
      throw InputError(job.collective + " reduces nothing (legal with " +
                       join_names(collectives_with(&Collective::reduces)) + ")");
  });
  set_root(settings, job);
  if (file) fit_to_file(settings, family, spec, *file, job);
  set_targets(settings, job);
  with(settings, "start", [&](const std::string& text) {
    job.start = parse_time(text);
    if (job.start > latest_start) throw InputError(text + " is too late (legal: up to " + to_string(latest_start) + ")");
  });
  with(settings, "skew", [&](const std::string& text) { job.skew = parse_skew(text, job.ranks.size(), latest_start); });
  set_back_to_back(settings, family, job);
  const bool layers = set_work_items(settings, files, job);
  spec.layer_total = layers && !settings.flag("one-shot");
  return job;
}

/// Refuses an endpoint of two jobs at the place of the later one.
void check_disjoint(const Settings& settings, const RunSpec& spec) {
  const EndpointWords words = family_of(spec.platform).endpoint_of(spec.platform);
  std::map<int, std::size_t> job_of;
  for (std::size_t j = 0; j < settings.jobs().size(); ++j)
    for (const int endpoint : spec.jobs[j].ranks) {
      const auto [other, first] = job_of.emplace(endpoint, j);
      if (first || other->second == j) continue;
      const Settings& own = settings.jobs()[j];
      const Setting* place = own.has("ranks") ? own.find("ranks") : own.find("gpus");
      if (place == nullptr && !own.all().empty()) place = &own.all().begin()->second.front();
      throw InputError((place != nullptr ? place->where + ": jobs " : "jobs ") + std::to_string(other->second) + " and " +
                       std::to_string(j) + " both use " + words.device + std::to_string(endpoint) +
                       " (legal: concurrent jobs on disjoint " + words.plural + ", by ranks)");
    }
}

}  // namespace

void set_jobs(const Settings& settings, InputFiles& files, RunSpec& spec) {
  const auto add = [&](const Settings& job) {
    spec.jobs.push_back(make_job(job, files, spec));
    const std::string note = note_of_default(job, spec, spec.jobs.back());
    if (!note.empty() && (spec.notes.empty() || spec.notes.back() != note)) spec.notes.push_back(note);
  };
  Settings common = settings;
  common.jobs().clear();
  spec.jobs.clear();
  for (const Settings& own : settings.jobs()) {
    Settings one = own;
    one.complete_from(common);
    for (const char* many : {"sizes", "messages"})
      if (const Setting* given = one.find(many))
        throw InputError(given->where + ": each of several concurrent jobs has one message (legal: size)");
    add(one);
  }
  if (settings.jobs().empty()) add(common);
  check_disjoint(settings, spec);
}

}  // namespace tributary
