#include "testbench/family/tofino/limits.h"

#include "testbench/family/tofino/methods.h"

namespace tributary {
namespace {

/// What a worker may have on its way, and the time from a packet to its result in an idle machine.
struct Window {
  double packets = 0, round_trip = 0;
  const char* parameter = "";
};

Window window_of(AggregationScheme scheme, const TofinoPlatformParams& p) {
  const auto once = static_cast<double>(p.host.tx_latency.value + p.host.rx_latency.value + p.tofino_switch.latency.value +
                                        2 * p.link.latency.value);
  switch (scheme) {
    case AggregationScheme::switchml_rdma:
      return {static_cast<double>(p.switchml_rdma.window), once + static_cast<double>(p.switchml_rdma.turnaround.value),
              "tofino.switchml_rdma.window"};
    case AggregationScheme::atp:  // by way of the parameter server
      return {static_cast<double>(p.atp.window), 2 * once, "tofino.atp.window"};
    default:
      return {static_cast<double>(p.tofino_switch.slots), once, "tofino.switch.slots"};
  }
}

}  // namespace

LimitRules tofino_limits(const RunSpec& spec, const TofinoPlatformParams& p) {
  LimitRules rules;
  const AggregationScheme scheme = tofino_method(spec.jobs.front()).scheme;
  rules.link_parameter = [](std::size_t) { return "tofino.link.rate"; };
  rules.latency = "tofino.host.tx_latency";
  rules.watches.push_back({"*.worker.sent", {1, 0}, {}});  // counted: no level
  rules.watches.push_back({"*.aggregators.collided", {1, 0}, {}});
  rules.watches.push_back({"*.aggregators.completed", {1, 0}, {}});
  rules.amend = [scheme, p](const LimitInput& in, std::vector<LimitCandidate>& all) {
    const auto sent = static_cast<double>(in.seen[0].firings);  // by the worker that has sent most
    const bool atp = scheme == AggregationScheme::atp;
    const Time packet_time = atp ? p.atp.packet_time : p.switchml.packet_time;
    if (scheme != AggregationScheme::switchml_rdma && packet_time.value > 0)
      all.push_back({LimitCause::software, LimitKind::busy, in.seen[0].module, "TofinoWorker",
                     atp ? "tofino.atp.packet_time" : "tofino.switchml.packet_time",
                     sent * static_cast<double>(packet_time.value) / in.time});
    const Window window = window_of(scheme, p);
    all.push_back({LimitCause::window, LimitKind::busy, in.seen[0].module, "TofinoWorker", window.parameter,
                   sent / window.packets * window.round_trip / in.time});
    const auto refused = static_cast<double>(in.seen[1].firings), added = static_cast<double>(in.seen[2].firings);
    if (refused > 0)
      all.push_back({LimitCause::table_full, LimitKind::room, "switch.aggregators", "AggregatorTable",
                     "tofino.atp.aggregators", refused / (refused + added)});
  };
  return rules;
}

}  // namespace tributary
