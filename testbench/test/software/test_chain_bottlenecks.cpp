// Bottlenecks that follow from the chain of a schedule, on networks of NICs and on hosts on Ethernet (docs/bottleneck.md).

#include <catch2/catch.hpp>

#include "modules/protocol/roce.h"
#include "testbench/family/netreduce/bottlenecks.h"
#include "testbench/family/netreduce/fluid/fluid_lowering.h"
#include "testbench/family/schedule_nic/bottlenecks.h"
#include "testbench/family/schedule_nic/fluid/fluid_sends.h"

namespace tributary::test_chain_bottlenecks {

using collective::Activity;
using collective::ActivityGraph;
using collective::Moment;

namespace {

using Names = std::vector<std::string>;

/// Adds a transfer of `bytes` over `links`.
ActivityGraph::Id send(ActivityGraph& graph, double bytes, const std::vector<std::uint32_t>& links) {
  Activity a;
  a.bytes = bytes;
  for (const std::uint32_t link : links) a.uses.push_back({link, 1});
  return graph.add(a);
}

double part(const BottleneckAccount& account, const std::string& parameter) {
  double sum = 0;
  for (const PathPart& p : account.path)
    if (p.parameter == parameter) sum += p.time;
  return sum;
}

/// Returns the account of a run of `time` ps on a network of NICs whose busiest link carried `wire` bytes.
BottleneckAccount nic_account(const NetworkParams& params, const ActivityGraph& graph, double time, std::uint64_t wire = 0) {
  RunSpec spec;
  spec.jobs.front().ranks = {0, 1};
  const NicChain chain{collective::LongestChain(graph), 3};
  const BottleneckRules rules = schedule_nic_bottlenecks(spec, params, [&](const ResultRow&) { return chain; });
  ResultRow row;
  row.links = {{"nic0.port0>nic1.port1", wire, 0}};
  BottleneckInput in{row, time};
  in.seen.resize(rules.watches.size());
  BottleneckAccount account;
  account.time = time;
  rules.amend(in, account);
  return account;
}

BottleneckAccount host_account(const std::string& algorithm, const NetReducePlatformParams& params,
                               const ActivityGraph& graph, double time, std::uint64_t bytes, double link) {
  RunSpec spec;
  spec.platform = "rack:4";
  spec.jobs.front().algorithm = algorithm;
  const collective::LongestChain chain(graph);
  const BottleneckRules rules = netreduce_bottlenecks(spec, params, [&](const ResultRow&) { return chain; });
  ResultRow row;
  row.size_bytes = bytes;
  const BottleneckInput in{row, time};
  BottleneckAccount account;
  account.time = time;
  account.add(
      {BottleneckCause::link, BottleneckKind::busy, "host0.port0>switch.port0", "Link", "netreduce.link.rate", link});
  rules.amend(in, account);
  return account;
}

}  // namespace

TEST_CASE("chain bottleneck: steps of NICs have chunks, links, routers, entries and additions", "[bottleneck]") {
  const NetworkParams p;
  ActivityGraph graph;
  graph.add_link(16e9), graph.add_link(16e9);
  const auto first = graph.add_point(), row = graph.add_point(), chunk = send(graph, 1600, {0, 1}), sum = graph.add_point();
  graph.after(row, first, Moment::sent, 50'000, nic_step);
  graph.after(row, graph.add_point(), Moment::sent);
  graph.after(chunk, row, Moment::sent, 1'000, nic_issue);
  graph.after(sum, chunk, Moment::arrived);
  Activity adding;
  adding.bytes = 7'000, adding.cap = 1e12;
  graph.after(graph.add(adding), sum, Moment::sent);
  const double time = 50'000 + 1'000 + 100'000 + 7'000 + 2 * (150'000 + 1'000) + 3 * 3'000;
  const BottleneckAccount account = nic_account(p, graph, time);
  CHECK(account.chain);
  CHECK(part(account, "schedule_nic.link.rate") == Approx(50'000 + 100'000 + 2 * 1'000));  // a flit of 16 B on each link
  CHECK(part(account, "schedule_nic.link.latency") == Approx(2 * 150'000));
  CHECK(part(account, "schedule_nic.router.latency") == Approx(3 * 3'000));
  CHECK(part(account, "schedule_nic.nic.issue_interval") == Approx(1'000));
  CHECK(part(account, "schedule_nic.nic.clock") == Approx(7'000));  // a cycle
  const auto bottleneck = bottleneck_of(account);
  REQUIRE(bottleneck);
  CHECK(bottleneck->path_share == Approx(1));
  CHECK(bottleneck->parameters == Names{"schedule_nic.link.latency"});
}

TEST_CASE("chain bottleneck: a link rate is no name if rows and columns have rates of their own", "[bottleneck]") {
  NetworkParams p;
  ActivityGraph graph;
  graph.add_link(16e9);
  send(graph, 16e6, {0});  // 1 ms
  CHECK(part(nic_account(p, graph, 1e9), "schedule_nic.link.rate") > 0.99e9);
  p.link.y_rate = 8_GBps;
  CHECK(part(nic_account(p, graph, 1e9), "schedule_nic.link.rate") == 0);
}

TEST_CASE("chain bottleneck: buffers that cover the round trip of credits are a need of faster links", "[bottleneck]") {
  NetworkParams p;
  const ActivityGraph graph;
  p.router.buffer_flits = 306;  // 18 packets of 17 flits; a credit is back after 2 x 150 + 3 + 1 ns
  const BottleneckAccount enough = nic_account(p, graph, 1e6, 15'000);
  REQUIRE(enough.needs.size() == 2);
  CHECK(enough.needs[0].parameter == "schedule_nic.router.buffer_flits");
  CHECK(enough.needs[0].used == Approx(1.25 * 16 / (306 * 16 / 303.8)));
  p.router.buffer_flits = 305;  // 17 packets
  const BottleneckAccount slow = nic_account(p, graph, 1e6, 15'000);
  REQUIRE(slow.needs.size() == 1);  // larger buffers need faster links
  CHECK(slow.needs[0].parameter == "schedule_nic.link.rate");
  CHECK(slow.needs[0].used == Approx(1.25 * 289 / 304));
  double share = 0;
  for (const BottleneckCandidate& c : slow.resources)
    if (c.cause == BottleneckCause::credits) share = c.share;
  CHECK(share == Approx(15'000 / (289 * 16 / 304.0) / 1'000));
  p.router.credits = CreditReturn::packet;  // 303 + 17 ns
  const BottleneckAccount late = nic_account(p, graph, 1e6, 15'000);
  for (const BottleneckCandidate& c : late.resources)
    if (c.cause == BottleneckCause::credits) CHECK(c.share == Approx(15'000 / (289 * 16 / 320.0) / 1'000));
}

TEST_CASE("chain bottleneck: chunks on links with slow credits are the work of buffers", "[bottleneck]") {
  NetworkParams p;
  p.router.buffer_flits = 34;
  ActivityGraph graph;
  graph.add_link(16e9 * 34 / 304);
  send(graph, 16 * 34e3, {0});  // 304 us
  const BottleneckAccount account = nic_account(p, graph, 310e6, 16 * 34'000);
  CHECK(part(account, "schedule_nic.router.buffer_flits") == 0);  // credits are bound: no chain is needed
  const BottleneckAccount part_of_time = nic_account(p, graph, 340e6, 16 * 34'000);
  CHECK(part(part_of_time, "schedule_nic.router.buffer_flits") == Approx(304e6));
  CHECK(part(part_of_time, "schedule_nic.link.rate") == Approx(1'000));
}

TEST_CASE("chain bottleneck: steps of hosts have NICs, switches and cables", "[bottleneck]") {
  const NetReducePlatformParams p;
  ActivityGraph graph;
  for (int i = 0; i < 4; ++i) graph.add_link(12.5e9);
  const auto in_rack = send(graph, 12'500, {0, 1}), over_spine = send(graph, 12'500, {0, 1, 2, 3});
  graph.after(over_spine, in_rack, Moment::arrived, 40'000, host_adding);
  const BottleneckAccount account = host_account("ring", p, graph, 1e7, 25'000, 0.2);
  CHECK(account.chain);
  CHECK(part(account, "netreduce.link.rate") == Approx(2'000'000));
  CHECK(part(account, "netreduce.host.reduction_rate") == Approx(40'000));
  CHECK(part(account, "netreduce.nic.tx_latency") == Approx(2.0 * static_cast<double>(p.nic.tx_latency.value)));
  CHECK(part(account, "netreduce.nic.rx_latency") == Approx(2.0 * static_cast<double>(p.nic.rx_latency.value)));
  CHECK(part(account, "netreduce.switch.latency") == Approx(4.0 * static_cast<double>(p.ethernet_switch.latency.value)));
  CHECK(part(account, "netreduce.link.latency") == Approx(4.0 * static_cast<double>(p.link.latency.value)));
  CHECK(part(account, "netreduce.link.uplink_latency") == Approx(2.0 * static_cast<double>(p.link.uplink_latency.value)));
}

TEST_CASE("chain bottleneck: GPUs of a host have hops and a rate of their own", "[bottleneck]") {
  const NetReducePlatformParams p;
  ActivityGraph graph;
  Activity hop;
  hop.bytes = 150'000, hop.cap = 150e9;
  graph.after(graph.add(hop), graph.add(hop), Moment::arrived);
  const BottleneckAccount account = host_account("ring", p, graph, 1e7, 25'000, 0);
  CHECK(part(account, "netreduce.host.intra_rate") == Approx(2'000'000));
  CHECK(part(account, "netreduce.host.hop") == Approx(2'000'000));
  CHECK(part(account, "netreduce.nic.tx_latency") == 0);
}

TEST_CASE("chain bottleneck: padding and the data of a message add up to the work of its link", "[bottleneck]") {
  const NetReducePlatformParams p;  // messages of 170 packets of 1024 B
  const double padding = 1 - 64.0 / 170, link = 0.8, time = 18.9e6;
  BottleneckAccount account = host_account("netreduce", p, {}, time, 64 * 1024, link);
  auto bottleneck = bottleneck_of(account);
  REQUIRE(bottleneck);
  CHECK(bottleneck->claim == BottleneckClaim::named);
  CHECK(bottleneck->cause == BottleneckCause::padding);
  CHECK(bottleneck->share == Approx(padding * link));
  CHECK(bottleneck->parameters == Names{"netreduce.flow_control.message_packets"});
  const double before = part(account, "netreduce.link.rate") - (1 - padding) * link * time;
  CHECK(before == Approx(4 * 1024 * 80));  // a packet on each of four links
  account = host_account("netreduce", p, {}, time, 146 * 1024, 0.97);
  CHECK(bottleneck_text(*bottleneck_of(account)) ==
        "link host0.port0>switch.port0, 97.0% (netreduce.link.rate); 14.1% of the bytes are padding");
  account = host_account("netreduce", p, {}, time, 90 * 1024, 0.97);  // 47.1 % are padding: nearly as much as the data
  bottleneck = bottleneck_of(account);
  CHECK(bottleneck->claim == BottleneckClaim::unnamed);
  CHECK(bottleneck->remark == "47.1% of the bytes are padding");
}

TEST_CASE("chain bottleneck: a link that is always busy with repeated packets needs a higher rate and fewer losses",
          "[bottleneck]") {
  NetReducePlatformParams p;
  p.link.loss_rate = 0.001;
  const auto packet = static_cast<double>(EthernetFrame::wire_bytes(FrameKind::write_middle, 1024));
  const auto claim = [&](double link, double repeated) {
    RunSpec spec;
    spec.platform = "rack:4", spec.jobs.front().algorithm = "netreduce";
    const BottleneckRules rules = netreduce_bottlenecks(spec, p, {});
    ResultRow row;
    row.size_bytes = 170 * 1024;
    row.links = {{"host0.port0>switch.port0", static_cast<std::uint64_t>(1000 * packet), 0}};
    row.counters = {{"nic.retries", 1000 * repeated}};
    const BottleneckInput in{row, 1e12};
    BottleneckAccount account;
    account.time = in.time;
    account.add({BottleneckCause::link, BottleneckKind::busy, "l", "Link", "netreduce.link.rate", link});
    rules.amend(in, account);
    const auto bottleneck = bottleneck_of(account);
    REQUIRE(bottleneck);
    return bottleneck->parameters;
  };
  CHECK(claim(0.95, 0.5) == Names{"netreduce.link.rate", "netreduce.link.loss_rate"});
  CHECK(claim(0.8, 0.5).empty());
  CHECK(claim(0.95, 0.1).empty());  // 10 % of the packets are sent again, and the losses cost little
}

}  // namespace tributary::test_chain_bottlenecks
