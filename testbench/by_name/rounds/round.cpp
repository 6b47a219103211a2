#include "testbench/by_name/rounds/round.h"

#include <algorithm>
#include <utility>

#include "testbench/run/errors.h"
#include "testbench/run/facets/algorithms.h"
#include "testbench/run/facets/job_hardware.h"
#include "testbench/run/resolve.h"

namespace tributary {
namespace {

std::string names_of(const Round& round) {
  std::string names;
  for (const JobSpec& job : round.spec.jobs)
    if (const std::string name = job.collective + " by " + job.algorithm; names.find(name) == std::string::npos)
      names += (names.empty() ? "" : " and ") + name;
  return names;
}

[[noreturn]] void refuse(const Round& first, const Round& next, const std::string& part, const std::string& has,
                         const std::string& needs, const std::string& legal) {
  throw SetupError("post: " + names_of(next) + " needs " + part + "=" + needs + ", and the machine has " + has + " for " +
                   names_of(first) + " (legal: " + legal + ")");
}

void check_parameters(const Round& first, const Round& next) {
  RunParameters has = first.params, needs = next.params;
  const ParameterSet had = has.fields(), needed = needs.fields();
  for (std::size_t i = 0; i < had.fields().size(); ++i) {
    const ParameterField &a = had.fields()[i], &b = needed.fields()[i];
    if (a.print() != b.print())
      refuse(first, next, a.path, a.print(), b.print(), "set this parameter, or a machine of its own");
  }
}

/// Returns the entry of a part: its own or, of a platform that exists, that of all parts without one; null without either.
const std::string* entry(const std::map<std::string, std::string>& hardware, const std::string& part, bool built) {
  if (const auto own = hardware.find(part); own != hardware.end()) return &own->second;
  const auto common = hardware.find(part.substr(0, part.find_last_not_of("0123456789") + 1));
  return built && common != hardware.end() ? &common->second : nullptr;
}

}  // namespace

Round make_round(const RunSpec& machine, std::vector<std::shared_ptr<Posting>> postings) {
  Round round;
  round.spec = machine;
  round.spec.jobs.clear();
  for (const std::shared_ptr<Posting>& posting : postings) round.spec.jobs.push_back(posting->job);
  const Family& family = family_of(machine.platform);
  const FamilyFacets can = family.facets();
  if (can.algorithms != nullptr) can.algorithms->admit(round.spec);
  round.params = check_run(round.spec);
  if (can.job_hardware != nullptr) round.hardware = can.job_hardware->hardware_of(round.spec, round.params);
  round.postings = std::move(postings);
  return round;
}

bool excludes(const Round& round, const Posting& posting) {
  if (posting.alone) return true;
  for (const std::shared_ptr<Posting>& other : round.postings) {
    if (other->alone) return true;
    for (const int endpoint : posting.job.ranks)
      if (std::find(other->job.ranks.begin(), other->job.ranks.end(), endpoint) != other->job.ranks.end()) return true;
  }
  return false;
}

void check_same_machine(const Round& first, const Round& next, bool built) {
  check_parameters(first, next);
  for (const auto& [part, needs] : next.hardware) {
    const std::string* const has = entry(first.hardware, part, built);
    if (has != nullptr && *has != needs) refuse(first, next, part, *has, needs, "a machine of its own");
    if (has == nullptr && built)
      refuse(first, next, part, "none", needs, "to post it before the machine is elaborated, or a machine of its own");
  }
}

}  // namespace tributary
