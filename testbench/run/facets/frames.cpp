#include "testbench/run/facets/frames.h"

#include "modules/ethernet/core/fault_script.h"
#include "platforms/link_fault.h"

namespace tributary {

std::string FamilyFrames::canonical(const std::string& rule, const topology::Graph& graph) const {
  FaultRule fault = parse_fault_rule(rule);
  if (!fault.link.empty()) fault.link = full_link_name(fault.link, graph);
  return to_string(fault);
}

std::optional<LinkDown> FamilyFrames::link_down(const std::string& rule) const {
  const FaultRule fault = parse_fault_rule(rule);
  if (fault.match != FaultRule::Match::down) return std::nullopt;
  return LinkDown{fault.link, fault.after};
}

}  // namespace tributary
