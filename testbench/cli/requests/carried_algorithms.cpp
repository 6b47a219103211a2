#include "testbench/cli/requests/carried_algorithms.h"

#include <stdexcept>
#include <utility>

#include "testbench/cli/requests/run_request.h"
#include "testbench/run/resolve.h"
#include "testbench/workload/collective.h"

namespace tributary {
namespace {

constexpr const char* checked_size = "1MiB";  // on up to 64 nodes, pipelines have the most segments

/// Returns the error without the option that it begins with, which the caller did not give.
std::string without_option(const std::string& error) {
  const std::size_t colon = error.rfind("--", 0) == 0 ? error.find(": ") : std::string::npos;
  return colon == std::string::npos ? error : error.substr(colon + 2);
}

/// Returns the refusal by the checks of a run, which throw one of several types of exception; empty if they accept.
std::string refusal_of(const std::string& platform, const Algorithm& algorithm, const char* mode, InputFiles& files) {
  Settings settings;
  settings.add("platform", {platform, "--platform"});
  settings.add("collective", {algorithm.collective, "--collective"});
  settings.add("algorithm", {algorithm.name, "--algorithm"});
  if (!collective_of(algorithm.collective).signals()) settings.add("size", {checked_size, "--size"});
  settings.add("mode", {mode, "--mode"});
  if (collective_of(algorithm.collective).targeted) settings.add("targets", {"1", "--targets"});
  try {
    check_run(make_run_request(settings, files).spec);
    return "";
  } catch (const std::runtime_error& error) {
    return without_option(error.what());
  } catch (const std::invalid_argument& error) {
    return without_option(error.what());
  }
}

}  // namespace

/// Flows of a family without packets of all its jobs carry out algorithms that packets lack.
std::vector<CheckedAlgorithm> checked_algorithms(const std::string& platform, InputFiles& files) {
  const Family& family = family_of(files.platform(platform));
  std::vector<CheckedAlgorithm> all;
  for (const Algorithm& algorithm : family.algorithms()) {
    std::string refusal = refusal_of(platform, algorithm, "windowed", files);
    if (!refusal.empty() && !family.has_packets()) refusal = refusal_of(platform, algorithm, "fluid", files);
    all.push_back({algorithm, std::move(refusal)});
  }
  return all;
}

std::vector<Algorithm> carried_algorithms(const std::string& platform, InputFiles& files) {
  std::vector<Algorithm> all;
  for (const CheckedAlgorithm& checked : checked_algorithms(platform, files))
    if (checked.refusal.empty()) all.push_back(checked.algorithm);
  return all;
}

}  // namespace tributary
