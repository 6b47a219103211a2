#include "testbench/run/family.h"

#include <algorithm>

#include "modules/base/nearest.h"
#include "testbench/run/energy/prices.h"
#include "testbench/run/errors.h"
#include "testbench/run/facets/blocks.h"
#include "testbench/run/facets/files.h"
#include "testbench/run/facets/placement.h"
#include "testbench/run/fluid_machine.h"

namespace tributary {
namespace {

std::string kind_of(const std::string& platform) { return platform.substr(0, platform.find(':')); }

void append_new(std::vector<std::string>& names, const std::vector<std::string>& more) {
  for (const std::string& name : more)
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

bool takes(const Family& family, const topology::PlatformDescription& platform) {
  const FamilyFiles* files = family.facets().files;
  return files == nullptr || files->takes(platform);
}

}  // namespace

std::vector<std::string> platform_kinds(const Family& family) {
  std::vector<std::string> kinds;
  for (const PlatformForm& form : family.platforms()) append_new(kinds, {kind_of(form.name)});
  return kinds;
}

const Family& family_of(const topology::PlatformDescription& platform) {
  const std::string kind = kind_of(platform.name());
  std::vector<std::string> all;
  for (const Family* family : families()) {
    const std::vector<std::string> kinds = platform_kinds(*family);
    if (std::find(kinds.begin(), kinds.end(), kind) != kinds.end() && takes(*family, platform)) return *family;
    append_new(all, kinds);
  }
  throw SetupError(unknown_name("platform", kind, all));
}

topology::Graph Family::graph_of_run(const RunSpec& spec) const { return graph(spec.platform); }

std::unique_ptr<FluidMachine> Family::flows(const RunSpec&, const RunParameters&) const { return nullptr; }

bool has_parameter(const Family& family, const std::string& path) {
  const std::vector<std::string> groups = family.parameter_prefixes();
  const auto holds = [&](const std::string& group) { return path == group || path.rfind(group + ".", 0) == 0; };
  return std::any_of(groups.begin(), groups.end(), holds) || path.rfind("watchdog.", 0) == 0 || is_price(path);
}

std::vector<std::string> platform_kinds_with(const std::function<bool(const FamilyFacets&)>& has) {
  std::vector<std::string> kinds;
  for (const Family* family : families())
    if (has(family->facets())) append_new(kinds, platform_kinds(*family));
  return kinds;
}

const FamilyPlacement& placement_of(const Family& family) {
  static const FamilyPlacement standard;
  const FamilyPlacement* own = family.facets().placement;
  return own != nullptr ? *own : standard;
}

std::vector<BlockInfo> blocks_of(const Family& family) {
  const FamilyBlocks* blocks = family.facets().blocks;
  return blocks != nullptr ? blocks->blocks() : std::vector<BlockInfo>{};
}

std::vector<std::string> notes_of(const topology::PlatformDescription& platform) {
  const FamilyFiles* files = family_of(platform).facets().files;
  return files != nullptr ? files->notes(platform) : std::vector<std::string>{};
}

}  // namespace tributary
