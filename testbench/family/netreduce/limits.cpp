#include "testbench/family/netreduce/limits.h"

#include <algorithm>

namespace tributary {

LimitRules netreduce_limits(const RunSpec&, const NetReducePlatformParams& p) {
  LimitRules rules;
  rules.link_parameter = [](std::size_t) { return "netreduce.link.rate"; };
  rules.latency = "netreduce.nic.tx_latency";
  rules.watches.push_back(
      {"*.window.blocked", {}, {LimitCause::window, LimitKind::room, "", "FlowControl", "netreduce.flow_control.window"}});
  rules.watches.push_back(
      {"*.combinator.busy", {}, {LimitCause::compute, LimitKind::busy, "", "Combinator", "netreduce.accelerator.clock"}});
  rules.amend = [p](const LimitInput& in, std::vector<LimitCandidate>& all) {
    const double waited = in.count("nic.timeouts") * static_cast<double>(p.nic.rto.value) / in.time;
    if (waited > 0) all.push_back({LimitCause::retransmission, LimitKind::room, "", "RoceNic", "netreduce.nic.rto", waited});
    if (p.host.inter_rate)
      all.push_back({LimitCause::software, LimitKind::busy, "host0.engine", "HostEngine", "netreduce.host.inter_rate",
                     most_bytes(in, "host", static_cast<double>(p.host.inter_rate->value) * 1e-12).share});
  };
  return rules;
}

}  // namespace tributary
