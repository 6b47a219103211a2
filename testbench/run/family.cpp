#include "testbench/run/family.h"

#include <algorithm>
#include <numeric>

#include "modules/base/nearest.h"
#include "testbench/run/errors.h"

namespace tributary {
namespace {

std::string kind_of(const std::string& platform) { return platform.substr(0, platform.find(':')); }

void append_new(std::vector<std::string>& names, const std::vector<std::string>& more) {
  for (const std::string& name : more)
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

bool takes(const Family& family, const std::string& platform) {
  try {
    return family.takes(platform);
  } catch (const std::invalid_argument& error) {
    throw SetupError(error.what());
  }
}

}  // namespace

int Family::participants(const RunSpec& spec, const JobSpec&) const { return platform(spec.platform).participants; }

std::vector<int> Family::place(const RunSpec&, int count) const {
  std::vector<int> first(static_cast<std::size_t>(count));
  std::iota(first.begin(), first.end(), 0);
  return first;
}

std::vector<std::string> platform_kinds(const Family& family) {
  std::vector<std::string> kinds;
  for (const PlatformForm& form : family.platforms()) append_new(kinds, {kind_of(form.name)});
  return kinds;
}

const Family& family_of(const std::string& platform) {
  std::vector<std::string> all;
  for (const Family* family : families()) {
    const std::vector<std::string> kinds = platform_kinds(*family);
    if (std::find(kinds.begin(), kinds.end(), kind_of(platform)) != kinds.end() && takes(*family, platform)) return *family;
    append_new(all, kinds);
  }
  throw SetupError(unknown_name("platform", kind_of(platform), all));
}

bool has_parameter(const Family& family, const std::string& path) {
  return path.rfind(family.name() + ".", 0) == 0 || path.rfind("watchdog.", 0) == 0;
}

std::vector<std::string> platform_kinds_with(bool Capabilities::*capability) {
  std::vector<std::string> kinds;
  for (const Family* family : families())
    if (family->capabilities().*capability) append_new(kinds, platform_kinds(*family));
  return kinds;
}

}  // namespace tributary
