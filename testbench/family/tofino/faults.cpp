#include "testbench/family/tofino/faults.h"

#include <algorithm>
#include <string>
#include <vector>

#include "modules/base/nearest.h"
#include "modules/ethernet/core/fault_script.h"
#include "testbench/run/errors.h"

namespace tributary {

void check_faults(const RunSpec& spec, const topology::Tofino& machine) {
  const std::vector<std::string> names = link_names(machine.graph);
  for (const std::string& text : spec.frame_faults) {
    const FaultRule rule = parse_fault_rule(text);
    const std::string fault = "fault " + to_string(rule) + ": ";
    if (rule.match != FaultRule::Match::place && rule.match != FaultRule::Match::down)
      throw SetupError(fault + "frames of " + spec.platform.name() +
                       " are named by their place; legal: drop, corrupt or duplicate:LINK:N[:TIMES], down:LINK@TIME");
    if (rule.fate == FrameFate::flip)
      throw SetupError(fault + "frames of " + spec.platform.name() + " have no ICRC; legal: drop, corrupt or duplicate");
    if (std::find(names.begin(), names.end(), rule.link) == names.end())
      throw SetupError(fault + unknown_name("link", rule.link, names, false));
  }
}

}  // namespace tributary
