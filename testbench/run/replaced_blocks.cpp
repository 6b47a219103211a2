#include "testbench/run/replaced_blocks.h"

#include <algorithm>

#include "modules/base/nearest.h"
#include "testbench/run/errors.h"
#include "testbench/run/family.h"

namespace tributary {
namespace {

using Names = std::vector<std::string>;

bool contains(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// `gpu.copy_engine` of `blink.gpu.copy_engine`.
std::string within_family(const std::string& block) { return block.substr(block.find('.') + 1); }

[[noreturn]] void refuse(const std::string& name, const Names& own, const RunSpec& spec) {
  Names all;
  for (const Family* family : families())
    for (const BlockInfo& block : blocks_of(*family)) all.push_back(block.name);
  if (!contains(all, name)) throw SetupError("--plugin: " + unknown_name("block", name, all));
  throw SetupError("--plugin: " + spec.platform.name() + " has no block " + name +
                   (own.empty() ? "; legal: none" : "; legal: " + join_names(own)));
}

}  // namespace

std::vector<std::string> replaced_blocks(const Family& family, const RunSpec& spec) {
  Names own, replaced;
  for (const BlockInfo& block : blocks_of(family)) own.push_back(block.name);
  const Names names = spec.blocks.names();
  for (const std::string& name : names)
    if (contains(own, name)) replaced.push_back(name);
  for (const std::string& name : names) {
    const bool is_known = std::any_of(replaced.begin(), replaced.end(), [&](const std::string& here) {
      return here == name || within_family(here) == within_family(name);
    });
    if (!is_known) refuse(name, own, spec);
  }
  return replaced;
}

}  // namespace tributary
