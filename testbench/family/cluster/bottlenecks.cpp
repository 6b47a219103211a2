#include "testbench/family/cluster/bottlenecks.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <string>

#include "testbench/run/run_spec.h"

namespace tributary {
namespace {

bool has_part(const std::string& link, const char* part) { return link.find(part) != std::string::npos; }

/// Returns the parameter of the rate of a link. The links of NICs, leaves, spines and accelerators have one rate.
const char* rate_parameter(const std::string& link) {
  if (has_part(link, "gpu") && has_part(link, "nic")) return "cluster.pcie.rate";
  for (const char* const device : {"nic", "rail", "leaf", "spine", "accelerator"})
    if (has_part(link, device)) return "cluster.nic_rate";
  return "nvswitch.link.rate";
}

/// Returns the name of a link without numbers: links between devices of equal kinds have one.
std::string without_numbers(std::string link) {
  link.erase(std::remove_if(link.begin(), link.end(), [](unsigned char c) { return std::isdigit(c) != 0; }), link.end());
  return link;
}

/// NVLinks, PCIe links and links of NICs have unlike rates, so each kind is a resource of its own.
void add_links(const BottleneckInput& in, BottleneckAccount& account) {
  take_off(account, BottleneckCause::link);
  std::map<std::string, const LinkUse*> busiest;
  for (const LinkUse& link : in.row.links) {
    const LinkUse*& most = busiest[without_numbers(link.name)];
    if (most == nullptr || link.utilisation > most->utilisation) most = &link;
  }
  for (const auto& [kind, link] : busiest)
    if (link->bytes != 0)
      account.add(
          {BottleneckCause::link, BottleneckKind::busy, link->name, "Link", rate_parameter(link->name), link->utilisation});
}

}  // namespace

BottleneckRules cluster_bottlenecks() {
  BottleneckRules rules;
  rules.watches.push_back(
      {"*.input.vc*.stalled",
       {},
       {BottleneckCause::table_full, BottleneckKind::room, "", "ReductionTable", "nvswitch.switch.reduction_table.bytes"}});
  rules.watches.push_back(
      {"*.window.blocked",
       {},
       {BottleneckCause::window, BottleneckKind::room, "", "FlowControl", "netreduce.flow_control.window"}});
  rules.watches.push_back(
      {"*.combinator.*busy",
       {},
       {BottleneckCause::compute, BottleneckKind::busy, "", "Combinator", "netreduce.accelerator.beat"}});
  rules.amend = add_links;
  return rules;
}

}  // namespace tributary
