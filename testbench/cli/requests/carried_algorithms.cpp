#include "testbench/cli/requests/carried_algorithms.h"

#include <stdexcept>

#include "testbench/cli/requests/run_request.h"
#include "testbench/run/resolve.h"
#include "testbench/workload/collective.h"

namespace tributary {
namespace {

/// Returns true if the checks of a run accept the algorithm; they refuse it with one of several types of exception.
bool carried(const std::string& platform, const Algorithm& algorithm, InputFiles& files) {
  Settings settings;
  settings.add("platform", {platform, "--platform"});
  settings.add("collective", {algorithm.collective, "--collective"});
  settings.add("algorithm", {algorithm.name, "--algorithm"});
  settings.add("size", {"128B", "--size"});
  if (collective_of(algorithm.collective).targeted) settings.add("targets", {"1", "--targets"});
  try {
    check_run(make_run_request(settings, files).spec);
    return true;
  } catch (const std::runtime_error&) {
    return false;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

}  // namespace

std::vector<Algorithm> carried_algorithms(const std::string& platform, InputFiles& files) {
  std::vector<Algorithm> all;
  for (const Algorithm& algorithm : family_of(files.platform(platform)).algorithms())
    if (carried(platform, algorithm, files)) all.push_back(algorithm);
  return all;
}

}  // namespace tributary
