#include "testbench/cli/requests/carried_methods.h"

#include <stdexcept>

#include "testbench/cli/requests/run_request.h"
#include "testbench/run/resolve.h"
#include "testbench/workload/collective.h"

namespace tributary {
namespace {

/// Returns true if the checks of a run accept the algorithm; they refuse it with one of several types of exception.
bool carried(const std::string& platform, const Method& method) {
  Settings settings;
  settings.add("platform", {platform, "--platform"});
  settings.add("collective", {method.collective, "--collective"});
  settings.add("algorithm", {method.name, "--algorithm"});
  settings.add("size", {"128B", "--size"});
  if (collective_of(method.collective).targeted) settings.add("targets", {"1", "--targets"});
  try {
    check_run(make_run_request(settings).spec);
    return true;
  } catch (const std::runtime_error&) {
    return false;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

}  // namespace

std::vector<Method> carried_methods(const std::string& platform) {
  std::vector<Method> all;
  for (const Method& method : family_of(platform).methods())
    if (carried(platform, method)) all.push_back(method);
  return all;
}

}  // namespace tributary
