#include "testbench/cli/requests/against_request.h"

#include <algorithm>

#include "testbench/run/choices.h"
#include "testbench/run/facets/algorithms.h"
#include "testbench/workload/input_error.h"

namespace tributary {
namespace {

std::vector<std::string> split_names(const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    names.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return names;
}

}  // namespace

std::vector<std::string> algorithms_against(const Setting& setting, const RunSpec& spec, bool any_collective) {
  const JobSpec& job = spec.jobs.front();
  const std::vector<Algorithm> known = family_of(spec.platform).algorithms();
  std::vector<std::string> all;
  for (const std::string& name : split_names(setting.text)) {
    const auto has_name = [&](const Algorithm& a) { return a.name == name; };
    if (!any_collective || std::none_of(known.begin(), known.end(), has_name))
      find_algorithm_on(spec.platform, find_collective(known, job.collective, setting.where), name, setting.where);
    if (name == job.algorithm || std::find(all.begin(), all.end(), name) != all.end())
      throw InputError(setting.where + ": " + name + " is given twice (legal: once, in --algorithm or --against)");
    all.push_back(name);
  }
  return all;
}

RunSpec run_against(const Setting& setting, const RunSpec& spec, const std::string& algorithm) {
  if (spec.jobs.size() > 1)
    throw InputError(setting.where + ": the run has " + std::to_string(spec.jobs.size()) +
                     " jobs (legal: one job, whose algorithm is replaced)");
  RunSpec other = spec;
  other.jobs.front().algorithm = algorithm;
  other.jobs.front().imported = nullptr;
  other.trace = {}, other.capture = {}, other.record = {};
  if (const FamilyAlgorithms* algorithms = family_of(spec.platform).facets().algorithms) algorithms->admit(other);
  return other;
}

}  // namespace tributary
