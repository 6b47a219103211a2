#include "testbench/family/tofino/bottlenecks.h"

#include <algorithm>

#include "testbench/family/tofino/algorithms.h"

namespace tributary {
namespace {

/// Packets that a worker may have in flight, and the time from a packet to its result on an idle machine.
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
    case AggregationScheme::atp:  // through the parameter server
      return {static_cast<double>(p.atp.window), 2 * once, "tofino.atp.window"};
    default:
      return {static_cast<double>(p.tofino_switch.slots), once, "tofino.switch.slots"};
  }
}

/// Returns the path of one packet of a worker and its result, in ps.
std::vector<PathPart> round_trip(AggregationScheme scheme, const TofinoPlatformParams& p) {
  const auto ps = [](Time time) { return static_cast<double>(time.value); };
  const bool rdma = scheme == AggregationScheme::switchml_rdma, atp = scheme == AggregationScheme::atp;
  const double ends = atp ? 2 : 1;  // ATP: through the parameter server, and through the switch once more
  const double passages = rdma ? p.tofino_switch.pipelines : atp ? 1.5 : 1;
  return {{"tofino.host.tx_latency", ends * ps(p.host.tx_latency)},
          {"tofino.host.rx_latency", ends * ps(p.host.rx_latency)},
          {"tofino.switch.latency", ends * passages * ps(p.tofino_switch.latency)},
          {"tofino.link.latency", 2 * ends * ps(p.link.latency)},
          {"tofino.switchml_rdma.turnaround", rdma ? ps(p.switchml_rdma.turnaround) : 0}};
}

/// Adds the time in which a worker waits for a lost packet until its timeout.
void add_retransmission(const BottleneckInput& in, AggregationScheme scheme, std::size_t workers, double sent,
                        const TofinoPlatformParams& p, BottleneckAccount& account) {
  const double resent = in.count("worker.resent") / static_cast<double>(workers);
  if (resent == 0) return;
  BottleneckCandidate lost{
      BottleneckCause::retransmission, BottleneckKind::room, "", "TofinoWorker", "tofino.switchml.timeout", 0};
  Time timeout = p.switchml.timeout;
  if (scheme == AggregationScheme::switchml_rdma)
    timeout = p.switchml_rdma.timeout, lost.parameter = "tofino.switchml_rdma.timeout";
  if (scheme == AggregationScheme::atp) timeout = p.atp.timeout, lost.parameter = "tofino.atp.timeout";
  lost.share = std::max(1.0, resent) * static_cast<double>(timeout.value) / in.time;
  account.add(lost);
  account.disturb(resent * static_cast<double>(workers) / std::max(1.0, sent * static_cast<double>(workers)),
                  BottleneckCause::retransmission, " of the packets are sent again");
}

}  // namespace

BottleneckRules tofino_bottlenecks(const RunSpec& spec, const TofinoPlatformParams& p) {
  BottleneckRules rules;
  const AggregationScheme scheme = tofino_algorithm(spec.jobs.front()).scheme;
  rules.link_parameter = [](std::size_t) { return "tofino.link.rate"; };
  rules.watches.push_back({"*.worker.sent", {1, 0}, {}});  // counts firings; the level is not used
  rules.watches.push_back({"*.aggregators.collided", {1, 0}, {}});
  rules.watches.push_back({"*.aggregators.completed", {1, 0}, {}});
  rules.amend = [scheme, p, workers = spec.jobs.front().ranks.size()](const BottleneckInput& in,
                                                                      BottleneckAccount& account) {
    const auto sent = static_cast<double>(in.seen[0].firings);  // packets of the worker that has sent the most
    const bool atp = scheme == AggregationScheme::atp;
    const Time packet_time = atp ? p.atp.packet_time : p.switchml.packet_time;
    if (scheme != AggregationScheme::switchml_rdma && packet_time.value > 0)
      account.add({BottleneckCause::software, BottleneckKind::busy, in.seen[0].module, "TofinoWorker",
                   atp ? "tofino.atp.packet_time" : "tofino.switchml.packet_time",
                   sent * static_cast<double>(packet_time.value) / in.time});
    const Window window = window_of(scheme, p);
    account.add({BottleneckCause::window, BottleneckKind::busy, in.seen[0].module, "TofinoWorker", window.parameter,
                 sent / window.packets * window.round_trip / in.time});
    const auto refused = static_cast<double>(in.seen[1].firings), added = static_cast<double>(in.seen[2].firings);
    if (refused > 0)
      account.add({BottleneckCause::table_full, BottleneckKind::room, "switch.aggregators", "AggregatorTable",
                   "tofino.atp.aggregators", refused / (refused + added)});
    add_retransmission(in, scheme, workers, sent, p, account);
    account.add_path(round_trip(scheme, p));
  };
  return rules;
}

}  // namespace tributary
