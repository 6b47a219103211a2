#include "testbench/run/facets/frames.h"

#include "modules/ethernet/core/fault_script.h"

namespace tributary {

std::string FamilyFrames::canonical(const std::string& rule) const { return to_string(parse_fault_rule(rule)); }

std::optional<LinkDown> FamilyFrames::link_down(const std::string& rule) const {
  const FaultRule fault = parse_fault_rule(rule);
  if (fault.match != FaultRule::Match::down) return std::nullopt;
  return LinkDown{fault.link, fault.after};
}

}  // namespace tributary
