#include "testbench/family/tofino/bottlenecks.h"

#include <algorithm>

#include "testbench/family/tofino/algorithms.h"
#include "testbench/family/tofino/worker_path.h"

namespace tributary {
namespace {

/// Adds the work of the worker that sends the most: of its software, of its port of the switch, and of its window.
void add_worker(const BottleneckInput& in, const WorkerPath& path, const char* software, Bandwidth port,
                BottleneckAccount& account) {
  const auto sent = static_cast<double>(in.seen[0].firings);
  const std::string& worker = in.seen[0].module;
  if (path.packet_time() > 0)
    account.add({BottleneckCause::software, BottleneckKind::busy, worker, "TofinoWorker", software,
                 sent * path.packet_time() / in.time});
  const LinkShare link = most_bytes(in, "host", static_cast<double>(port.value) * 1e-12);
  const double passing = path.passing() / in.time;
  if (passing > link.share)  // several passes of each packet
    account.add(
        {BottleneckCause::crossbar, BottleneckKind::busy, link.to + ".passes", "TofinoSwitch", "tofino.link.rate", passing});
  if (*path.window_parameter() == '\0') return;
  account.add({BottleneckCause::window, BottleneckKind::busy, worker, "TofinoWorker", path.window_parameter(),
               sent / path.window() * path.round_trip() / in.time});
  // Packets of a window that is `filled` follow each other without a gap.
  const double filled = path.window() * path.interval() / path.round_trip();
  const bool slow = path.packet_time() >= path.interval();
  account.needs.push_back({BottleneckCause::window, slow ? BottleneckCause::software : BottleneckCause::link,
                           slow ? software : "tofino.link.rate", bottleneck_headroom * filled});
  for (const BottleneckCause of : {BottleneckCause::link, BottleneckCause::crossbar, BottleneckCause::software})
    account.needs.push_back({of, BottleneckCause::window, path.window_parameter(), bottleneck_headroom / filled});
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
    const WorkerPath path(scheme, p, in.row.size_bytes);
    add_worker(in, path, scheme == AggregationScheme::atp ? "tofino.atp.packet_time" : "tofino.switchml.packet_time",
               p.link.rate, account);
    const auto refused = static_cast<double>(in.seen[1].firings), added = static_cast<double>(in.seen[2].firings);
    if (refused > 0)
      account.add({BottleneckCause::table_full, BottleneckKind::room, "switch.aggregators", "AggregatorTable",
                   "tofino.atp.aggregators", refused / (refused + added)});
    add_retransmission(in, scheme, workers, sent, p, account);
    account.add_path(path.parts());
  };
  return rules;
}

}  // namespace tributary
