#include <catch2/catch.hpp>
#include <stdexcept>

#include "testbench/collective/fluid/ethernet_flows.h"

namespace tributary::test_ethernet_flows {

using namespace tributary::collective;
using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;

namespace {

constexpr double MiB = 1048576, us = 1e-6;

FlowParams rack(int hosts) {
  FlowParams p;
  p.machines = hosts;
  return p;
}

FlowEstimate of(const FlowParams& p, double bytes, const std::string& algorithm) {
  for (const FlowEstimate& e : flow_estimates(p, bytes))
    if (e.algorithm == algorithm) return e;
  throw std::runtime_error("no " + algorithm);
}

double gigabits(const FlowParams& p, double bytes, const std::string& algorithm) {
  return bytes * 8 / of(p, bytes, algorithm).seconds * 1e-9;
}

}  // namespace

TEST_CASE("Flow model: the frames of a message have the calculated sizes", "[pure]") {
  const FlowParams p = rack(6);
  CHECK(write_wire_bytes(170 * 1024, 1024) == 1122 + 168 * 1106 + 1110);
  CHECK(write_wire_bytes(1, 1024) == 1 + 62 + 16 + 4 + 20);
  CHECK(message_bytes(p) == 174064);
  CHECK_THAT(message_time(p), WithinRel(15.0432 * us, 1e-9));
  CHECK_THAT(174064 * 8 / message_time(p), WithinRel(92.567e9, 1e-4));
}

TEST_CASE("Flow model: the window of NetReduce bounds its rate", "[pure]") {
  FlowParams p = rack(6);
  CHECK_THAT(window_turnaround(p), WithinRel(3.83 * us, 0.01));
  p.window = 1;
  CHECK_THAT(window_share(p), WithinRel(0.80, 0.01));
  p.window = 2;
  CHECK(window_share(p) == 1);
  p.turnaround = 50 * us - window_turnaround(p);
  p.window = 4;
  CHECK_THAT(window_share(p), WithinRel(0.925, 0.002));
  p.window = 5;
  CHECK(window_share(p) == 1);

  FlowParams slow = rack(6);  // measured rate of 86.8 Gb/s
  slow.turnaround = 13.2 * us;
  CHECK_THAT(gigabits(slow, 2048 * MiB, "netreduce"), WithinRel(86.8, 0.005));
}

TEST_CASE("Flow model: NetReduce has the calculated time for 64 MiB in a rack and in a tree", "[pure]") {
  const FlowParams p = rack(6);
  const double messages = 386;  // messages of 174 064 B
  CHECK_THAT(of(p, 64 * MiB, "netreduce").seconds, WithinRel(messages * 15.0432 * us + 3.83 * us, 1e-4));
  CHECK_THAT(gigabits(p, 64 * MiB, "netreduce"), WithinAbs(92.4, 0.05));
  CHECK(of(p, 64 * MiB, "netreduce").busiest_bytes == 64 * MiB);
  // One message, independent of its size.
  CHECK_THAT(of(p, 1024, "netreduce").seconds, WithinRel(18.9 * us, 0.01));
  CHECK(of(p, 1024, "netreduce").seconds == of(p, 128 * 1024, "netreduce").seconds);

  FlowParams tree = rack(1024);
  tree.racks = 32;
  CHECK_THAT(of(tree, 16 * MiB, "netreduce").seconds, WithinRel(1465 * us, 0.001));
}

TEST_CASE("Flow model: a window that closes delays message by message", "[pure]") {
  FlowParams p = rack(4);
  p.window = 3;
  p.turnaround = 100 * us;
  const double L = message_time(p), R = window_turnaround(p), one = of(p, 1, "netreduce").seconds;
  // Posted at 0, L, 2L; then each message L + R after the third before it.
  const double starts[] = {0, L, 2 * L, L + R, 2 * L + R, 3 * L + R, 2 * (L + R)};
  for (int i = 0; i < 7; ++i)
    CHECK_THAT(of(p, (i + 1) * message_bytes(p), "netreduce").seconds, WithinRel(one + starts[i], 1e-9));
}

TEST_CASE("Flow model: rings, recursive halving and the server have the calculated times", "[pure]") {
  for (const int hosts : {4, 6, 32}) {
    const FlowParams p = rack(hosts);
    const double M = 528e6, around = 2.0 * (hosts - 1) / hosts;
    const FlowEstimate netreduce = of(p, M, "netreduce"), ring = of(p, M, "ring"), server = of(p, M, "parameter_server");
    CHECK_THAT(ring.seconds / netreduce.seconds, WithinRel(around, 0.02));
    CHECK_THAT(ring.busiest_bytes, WithinRel(around * M, 1e-12));
    CHECK(netreduce.busiest_bytes == M);
    CHECK(server.busiest_bytes == hosts * M);
    CHECK_THAT(server.seconds / netreduce.seconds, WithinRel(hosts, 0.02));
  }
  const FlowParams p = rack(8);
  CHECK_THAT(of(p, 64 * MiB, "halving_doubling").seconds, WithinRel(of(p, 64 * MiB, "ring").seconds, 0.02));
  CHECK_THAT(of(p, 64, "halving_doubling").seconds, WithinRel(of(p, 64, "ring").seconds * 6 / 14, 0.02));
  CHECK_THROWS(of(rack(6), MiB, "halving_doubling"));
  // 10 steps of 171 B and of 21 846 B.
  CHECK_THAT(of(rack(6), 1024, "ring").seconds, WithinRel(34 * us, 0.05));
  CHECK_THAT(of(rack(6), 128 * 1024, "ring").seconds, WithinRel(53 * us, 0.05));
}

TEST_CASE("Flow model: machines of several GPUs have the calculated times", "[pure]") {
  FlowParams p = rack(4);
  p.gpus = 8;
  const double M = 100e6, n = 8;
  const double halves = 2 * (n - 1) * (1 * us + M / n / 150e9);
  CHECK_THAT(of(p, M, "parallel_netreduce").seconds, WithinRel(halves + M / 12.5e9 / 0.92567, 0.01));
  CHECK_THAT(of(p, M, "parallel_ring").seconds, WithinRel(halves + 1.5 * M / 12.5e9 * 1106 / 1024, 0.01));
  const double master = (n + 3 * 3 - 1) * us + 4 * (n - 1) / n * M / 150e9;
  CHECK_THAT(of(p, M, "tencent").seconds, WithinRel(master + 1.5 * M / 12.5e9 * 1106 / 1024, 0.01));
  // A NIC sends 62/32 of the tensor; the path around the ring is shorter.
  CHECK_THAT(of(p, M, "ring").seconds, WithinRel(62.0 / 32 * M / 12.5e9 * 1106 / 1024, 0.01));
  // Latency alone: of 62 sends at most 8 cross machines.
  CHECK_THAT(of(p, 32, "ring").seconds, WithinRel(54 * us + 8 * 3.23 * us, 0.005));
}

TEST_CASE("Flow model: programmable switches have the calculated times", "[pure]") {
  const FlowParams p = rack(6);
  FlowParams fast = p;
  fast.packet_time = 0;
  CHECK_THAT(gigabits(p, 64 * MiB, "switchml"), WithinRel(128 * 8 / 31.3, 0.01));  // 32.7 Gb/s measured
  CHECK_THAT(gigabits(fast, 64 * MiB, "switchml"), WithinRel(63.1, 0.01));
  CHECK_THAT(gigabits(p, 64 * MiB, "atp"), WithinRel(39.5, 0.01));
  CHECK_THAT(gigabits(p, 64 * MiB, "switchml_rdma"), WithinRel(82.7, 0.01));
  const auto seconds = [&](const char* algorithm) { return of(p, 64 * MiB, algorithm).seconds; };
  CHECK(seconds("netreduce") < seconds("switchml_rdma"));
  CHECK(seconds("switchml_rdma") < seconds("atp"));
  CHECK(seconds("atp") < seconds("switchml"));
}

TEST_CASE("Flow model: the racks must divide the machines evenly", "[pure]") {
  FlowParams p = rack(6);
  p.racks = 4;
  CHECK_THROWS_AS(flow_estimates(p, MiB), std::invalid_argument);
  p.racks = 3;
  CHECK(of(p, MiB, "ring").seconds > of(rack(6), MiB, "ring").seconds);
}

}  // namespace tributary::test_ethernet_flows
