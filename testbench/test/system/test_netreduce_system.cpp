/// Hosts on Ethernet, end to end: right sums, both modes agree, times and bytes by arithmetic.
#include <catch2/catch.hpp>

#include "modules/protocol/roce.h"
#include "testbench/family/netreduce/algorithms.h"
#include "testbench/test/harness/mode_check.h"
#include "testbench/test/harness/netreduce_runs.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_netreduce_system {
namespace {

RunSpec spec_of(const std::string& platform, int hosts, const std::string& algorithm, const std::vector<Bytes>& sizes,
                const std::vector<std::string>& settings = {}, const std::string& collective = "allreduce") {
  RunSpec spec = collective_spec(collective, algorithm, first_gpus(hosts), sizes, settings);
  spec.platform = platform;
  return spec;
}

double us(const RunSpec& spec) { return static_cast<double>(run_one(without_data(spec)).row.time) * 1e-6; }

// A message of 170 packets: the first with RETH, the last with immediate data; 80 ps a byte at 100 Gb/s.
constexpr unsigned message_wire_bytes = 1122 + 168 * 1106 + 1110, message_tensor_bytes = 170 * 1024 - 16;
static_assert(message_wire_bytes == 188040 && message_tensor_bytes == 174064);
constexpr double message_us = message_wire_bytes * 80e-6;

std::uint64_t bytes_of(const ResultRow& row, const std::string& link) {
  for (const LinkUse& use : row.links)
    if (use.name == link) return use.bytes;
  FAIL("no link " << link);
  return 0;
}

}  // namespace

TEST_CASE("netreduce: every collective in a rack and in a tree is right in both modes", "[system][netreduce]") {
  for (const NetReduceAlgorithm& m : netreduce_algorithms()) {
    INFO(m.collective << " " << m.name);
    const std::vector<Bytes> sizes = m.role == HostRole::flow_control ? std::vector<Bytes>{4_B, 1000_B, 400_KiB}
                                                                      : std::vector<Bytes>{4_B, 3000_B, 40_KiB};
    const bool served = m.role == HostRole::server;  // with one more host
    check_modes(spec_of(served ? "rack:5" : "rack:4", 4, m.name, sizes, {}, m.collective));
    check_modes(spec_of(served ? "spine_leaf:2x3" : "spine_leaf:2x2", 4, m.name, sizes, {}, m.collective));
  }
}

TEST_CASE("netreduce: all shapes of rings and racks are right", "[system][netreduce]") {
  for (const int hosts : {2, 3, 5, 32})
    check_modes(spec_of("rack:" + std::to_string(hosts), hosts, "netreduce", {5000_B},
                        {"netreduce.flow_control.message_packets=3"}));
  check_modes(spec_of("spine_leaf:3x3", 9, "netreduce", {5000_B}, {"netreduce.flow_control.message_packets=3"}));
  check_modes(spec_of("spine_leaf:2x1", 2, "netreduce", {5000_B}, {"netreduce.flow_control.message_packets=1"}));
}

TEST_CASE("netreduce: all types and operations are right", "[system][netreduce]") {
  for (const ElementType type : {ElementType::f16, ElementType::bf16, ElementType::i32})
    for (const ReduceOp op : {ReduceOp::sum, ReduceOp::max}) {
      RunSpec spec = spec_of("rack:3", 3, "netreduce", {4000_B}, {"netreduce.flow_control.message_packets=2"});
      spec.jobs.front().type = type;
      spec.jobs.front().op = op;
      check_modes(spec);
    }
}

TEST_CASE("netreduce: other parameters are right in both modes", "[system][netreduce]") {
  for (const char* setting :
       {"netreduce.switch.forwarding=store_and_forward", "netreduce.switch.pfc.on=true", "netreduce.switch.ecn.on=true",
        "netreduce.link.rate=25Gb/s", "netreduce.link.latency=4us", "netreduce.nic.mtu=2KiB", "netreduce.nic.ack_interval=1",
        "netreduce.nic.dcqcn.on=true", "netreduce.flow_control.window=1", "netreduce.flow_control.window=5",
        "netreduce.flow_control.turnaround=5us", "netreduce.flow_control.buffers=staged",
        "netreduce.flow_control.buffers=in_place", "netreduce.accelerator.order=chain",
        "netreduce.accelerator.value=recomputed", "netreduce.accelerator.clock=5ns", "netreduce.accelerator.ports=2",
        "netreduce.accelerator.ctt.learn=per_message"}) {
    INFO(setting);
    const std::vector<std::string> settings{setting, "netreduce.flow_control.message_packets=7"};
    check_modes(spec_of("rack:4", 4, "netreduce", {40_KiB}, settings));
    check_modes(spec_of("spine_leaf:2x2", 4, "netreduce", {40_KiB}, settings));
  }
}

// Liu et al., 3.2: the wire of each host is always busy. A message adds once: 1.6 us of the sender, the detour of 0.6
// us, 1.3 us of the receiver, and cables.
TEST_CASE("netreduce: a rack runs at the rate of the wire", "[system][netreduce]") {
  const double messages = 386;  // in 64 MiB
  const double time = us(spec_of("rack:6", 6, "netreduce", {64_MiB}));
  CHECK(time > messages * message_us);
  CHECK(time == Approx(messages * message_us + 3.8).epsilon(0.001));
}

TEST_CASE("netreduce: a window of one message waits for each message", "[system][netreduce]") {
  const RunSpec one = spec_of("rack:6", 6, "netreduce", {8_MiB}, {"netreduce.flow_control.window=1"});
  const double messages = 49;  // in 8 MiB, each followed by the path of its result
  CHECK(us(one) == Approx(messages * (message_us + 3.85)).epsilon(0.005));
}

TEST_CASE("netreduce: links of a rack carry exactly the messages and one ACK for each", "[system][netreduce]") {
  const Run run = run_one(spec_of("rack:4", 4, "netreduce", {1_MiB}));
  const std::uint64_t messages = 7;
  for (int h = 0; h < 4; ++h) {
    const std::string host = "host" + std::to_string(h) + ".port0", port = "switch.port" + std::to_string(h);
    CHECK(bytes_of(run.row, host + ">" + port) == messages * (message_wire_bytes + 86));
    CHECK(bytes_of(run.row, port + ">" + host) == messages * (message_wire_bytes + 86));
  }
}

// Liu et al., 3.3: the bytes to the spine do not depend on the hosts of a rack. Exception: notifications, one for each
// ring connection that leaves the rack.
TEST_CASE("netreduce: a tree sends each sum up once", "[system][netreduce]") {
  std::uint64_t up = 0;
  for (const int hosts : {2, 4, 8}) {
    const std::string name = "spine_leaf:2x" + std::to_string(hosts);
    const Run run = run_one(without_data(spec_of(name, 2 * hosts, "netreduce", {1_MiB})));
    const std::string leaf = "leaf0.port" + std::to_string(2 * hosts + 1);
    const std::uint64_t bytes = bytes_of(run.row, leaf + ">spine.port0");
    if (up != 0) CHECK(bytes == up);
    up = bytes;
    CHECK(bytes > 7 * 170 * 1024);
    CHECK(bytes < 7 * (message_wire_bytes + 200) + 2000);
  }
}

// A sender whose message has more packets than the ACK interval starts its timer before the last one. The headers that
// leaves make have to request these ACKs, too.
TEST_CASE("netreduce: a tree without losses sends nothing again", "[system][netreduce]") {
  for (const std::vector<std::string>& set : {std::vector<std::string>{"netreduce.flow_control.message_packets=2048"},
                                              {"netreduce.nic.ack_interval=4", "netreduce.nic.rto=10us"},
                                              {"netreduce.nic.ack_interval=1", "netreduce.nic.rto=10us"}}) {
    INFO(set.front());
    const ResultRow row = run_one(without_data(spec_of("spine_leaf:2x2", 4, "netreduce", {8_MiB}, set))).row;
    CHECK(count_of(row, "nic.timeouts") == 0);
    CHECK(count_of(row, "nic.retries") == 0);
  }
}

TEST_CASE("netreduce: two jobs on disjoint rings do not delay each other", "[system][netreduce]") {
  RunSpec spec = spec_of("rack:6", 6, "netreduce", {4_MiB});
  JobSpec job = spec.jobs.front();
  job.ranks = {0, 1, 2};
  spec.jobs = {job, job};
  spec.jobs[1].ranks = {3, 4, 5};
  const std::vector<Run> both = check_modes(spec);
  REQUIRE(both.size() == 2);
  const double alone = us(spec_of("rack:6", 3, "netreduce", {4_MiB}));
  for (const Run& run : both) CHECK(static_cast<double>(run.row.time) * 1e-6 == Approx(alone).epsilon(0.01));
}

// The combinator needs 17 cycles of 3103 ps for a slot, and each job has 25 messages of 170 packets.
TEST_CASE("netreduce: two jobs share the rate of one combinator", "[system][netreduce]") {
  RunSpec spec = spec_of("rack:6", 6, "netreduce", {4_MiB}, {"netreduce.accelerator.combinators=1"});
  JobSpec job = spec.jobs.front();
  job.ranks = {0, 1, 2};
  spec.jobs = {job, job};
  spec.jobs[1].ranks = {3, 4, 5};
  const double slots = 2 * 25 * 170 * 17 * 3.103e-3;  // us
  const std::vector<Run> both = check_modes(spec);
  REQUIRE(both.size() == 2);
  for (const Run& run : both) {
    const double time = static_cast<double>(run.row.time) * 1e-6;
    CHECK(time > slots);
    CHECK(time == Approx(slots).epsilon(0.03));
  }
}

// 2(P - 1)/P of the message over each link instead of all of it, and in the opposite direction. Hosts add while they
// receive.
TEST_CASE("netreduce: it is faster than a ring over RDMA by the ratio of their bytes", "[system][netreduce]") {
  const double gain = us(spec_of("rack:4", 4, "ring", {64_MiB})) / us(spec_of("rack:4", 4, "netreduce", {64_MiB}));
  CHECK(gain == Approx(1.5).epsilon(0.02));
}

// Each of 10 steps takes the NICs' send and receive delays, 1.6 + 1.3 us, a cut-through switch with its cables, 0.32
// us, and a small frame; no step waits for an ACK, which needs 5.7 us.
TEST_CASE("netreduce: steps of a ring over RDMA wait for data alone", "[system][netreduce]") {
  const double ring = us(spec_of("rack:6", 6, "ring", {1_KiB}));
  CHECK(ring > 10 * (1.6 + 1.3 + 0.32));
  CHECK(ring < 10 * 3.4);
}

// With slices as large as chunks, each of three steps adds a quarter of the message while the wire is idle, and each of
// six steps waits for the path of its first packet, 3.3 us.
TEST_CASE("netreduce: slices of a ring hide the additions of hosts", "[system][netreduce]") {
  const auto time = [](const std::string& slice) {
    return us(
        spec_of("rack:4", 4, "ring", {16_MiB}, {"netreduce.host.slice=" + slice, "netreduce.host.reduction_rate=50GB/s"}));
  };
  const double additions = 0.75 * 16 * 1048576 / 50e3;  // us
  CHECK(time("1GiB") - time("128KiB") == Approx(additions + 6 * 3.3).epsilon(0.05));
  check_modes(spec_of("rack:3", 3, "ring", {1_MiB}, {"netreduce.host.slice=64KiB"}));
  check_modes(spec_of("rack:4", 4, "halving_doubling", {1_MiB}, {"netreduce.host.slice=64KiB"}));
}

// Several hosts send to one, or over one link to the spine: their packets in flight must not wait longer than a
// timeout.
TEST_CASE("netreduce: software collectives do not overrun a switch", "[system][netreduce]") {
  for (const char* platform : {"rack:6", "spine_leaf:2x4"})
    for (const char* algorithm : {"halving_doubling", "double_binary_tree"}) {
      INFO(platform << " " << algorithm);
      const int hosts = std::string(platform) == "rack:6" ? 6 : 8;
      const ResultRow row = run_one(without_data(spec_of(platform, hosts, algorithm, {64_MiB}))).row;
      CHECK(row.status == Status::done);
      CHECK(row.counters.at("nic.timeouts") == 0);
      CHECK(row.counters.at("switch.drops") == 0);
    }
}

TEST_CASE("netreduce: checksums over bytes give the same run", "[system][netreduce]") {
  for (const char* platform : {"rack:4", "spine_leaf:2x2"}) {
    const std::string messages = "netreduce.flow_control.message_packets=5";
    const RunSpec marks = with_hashes(spec_of(platform, 4, "netreduce", {40_KiB}, {messages}));
    const RunSpec bytes = with_hashes(spec_of(platform, 4, "netreduce", {40_KiB}, {messages, "netreduce.link.check=bytes"}));
    CHECK(difference(run_all(marks), run_all(bytes)) == "");
  }
}

// Two cables of 10 ns, the second pass of 300 ns and the MACs' 20 cycles are gone; two cycles of 3.103 ns remain. A message
// waits for its last sum once, and N = 1 for each message.
TEST_CASE("netreduce: an accelerator in the switch has a shorter detour", "[system][netreduce]") {
  const std::string placement = "netreduce.accelerator.placement=in_switch";
  check_modes(spec_of("rack:3", 3, "netreduce", {100_KiB}, {placement}));
  check_modes(spec_of("spine_leaf:2x2", 4, "netreduce", {100_KiB}, {placement, "netreduce.link.loss_rate=0.001"}));
  const double saved = 2 * 10e-3 + 300e-3 + 20 * 3.103e-3 - 2 * 3.103e-3;  // us
  const double attached = us(spec_of("rack:4", 4, "netreduce", {100_KiB}));
  CHECK(attached - us(spec_of("rack:4", 4, "netreduce", {100_KiB}, {placement})) == Approx(saved).margin(0.01));
  const std::string one = "netreduce.flow_control.window=1";
  CHECK(us(spec_of("rack:4", 4, "netreduce", {1_MiB}, {one})) -
            us(spec_of("rack:4", 4, "netreduce", {1_MiB}, {one, placement})) ==
        Approx(7 * saved).margin(0.1));
}

}  // namespace tributary::test_netreduce_system
