/// Flows among machines of GPUs compared with Eqs. (1) to (3) of Liu et al., ASPLOS 2023.

#include <catch2/catch.hpp>

#include "testbench/collective/fluid/fluid_run.h"
#include "testbench/collective/fluid/machine_flows.h"

namespace tributary::test_machine_flows {

using namespace tributary::collective;
using Catch::Matchers::WithinRel;

namespace {

constexpr double MB = 1e6;

MachineCost machines(int gpus, double intra_rate = 150e9, double step_time = 1e-6, int each = 8) {
  return {gpus, each, intra_rate, 12.5e9, step_time};
}

}  // namespace

TEST_CASE("machine flows: times agree with Eqs. (1) to (3) at the points of NetReduce's Figure 7") {
  for (const int gpus : {8, 16, 32, 128, 512, 2048})
    for (const double intra : {15.75e9, 50e9, 150e9})
      for (const double alpha : {1e-6, 100e-6})
        for (const double bytes : {1 * MB, 10 * MB, 100 * MB, 1000 * MB}) {
          const MachineCost m = machines(gpus, intra, alpha);
          INFO(gpus << " GPUs, " << intra << " B/s, alpha " << alpha << ", " << bytes << " B");
          const double ring = seconds_of(flat_ring_flows(m, bytes));
          if (gpus > 8) CHECK_THAT(ring, WithinRel(flat_ring_cost(m).seconds(m, bytes), 1e-9));
          CHECK_THAT(seconds_of(tencent_flows(m, bytes)), WithinRel(tencent_cost(m).seconds(m, bytes), 1e-9));
          if (gpus > 8)
            CHECK_THAT(seconds_of(parallel_netreduce_flows(m, bytes)),
                       WithinRel(parallel_netreduce_cost(m).seconds(m, bytes), 1e-9));
        }
}

// Each step has one send per GPU, but in one class: the model of 131 072 GPUs takes no longer than its steps.
TEST_CASE("machine flows: times agree with Eqs. (1) to (3) for 131 072 GPUs") {
  const MachineCost m = machines(131'072);
  CHECK_THAT(seconds_of(flat_ring_flows(m, 100 * MB)), WithinRel(flat_ring_cost(m).seconds(m, 100 * MB), 1e-9));
  CHECK_THAT(seconds_of(tencent_flows(m, 100 * MB)), WithinRel(tencent_cost(m).seconds(m, 100 * MB), 1e-9));
  CHECK_THAT(seconds_of(parallel_netreduce_flows(m, 100 * MB)),
             WithinRel(parallel_netreduce_cost(m).seconds(m, 100 * MB), 1e-9));
}

// A step of the ring of one machine takes only the time of its links.
TEST_CASE("machine flows: one machine has no NIC in its ring") {
  const MachineCost m = machines(8);
  CHECK_THAT(seconds_of(parallel_netreduce_flows(m, 80 * MB)), WithinRel(14 * (1e-6 + 10 * MB / 150e9), 1e-9));
  CHECK_THAT(seconds_of(flat_ring_flows(m, 80 * MB)), WithinRel(14 * (1e-6 + 10 * MB / 150e9), 1e-9));
}

// 2 (P/n - 1) steps in which n GPUs of a machine share its NIC, between two rings of n - 1 steps.
TEST_CASE("machine flows: parallel rings share their machine's NIC") {
  const MachineCost m = machines(32);
  const double expected = 14 * (1e-6 + 100 * MB / 8 / 150e9) + 6 * (1e-6 + 100 * MB / 4 / 12.5e9);
  CHECK_THAT(seconds_of(parallel_ring_flows(m, 100 * MB)), WithinRel(expected, 1e-9));
}

// The NIC of a machine carries 2 (P - 1) chunks of M/P, and all else is faster: a ring whose GPUs wait only for their
// neighbours takes that time, plus one round for the last chunk.
TEST_CASE("machine flows: a ring at each GPU's own pace runs at its NIC's rate") {
  const MachineCost m = machines(64, 150e9, 1e-6);
  const double bytes = 640 * MB, wire = 126 * (bytes / 64 / 12.5e9);
  const double together = seconds_of(flat_ring_flows(m, bytes));
  const double each = seconds_of(flat_ring_flows(m, bytes, RingPace::each));
  CHECK(each >= wire);
  CHECK(each <= wire + 64 * (1e-6 + bytes / 64 / 150e9));
  CHECK(each <= together);
}

// Every GPU sends 2 (P-1) chunks.
TEST_CASE("machine flows: classes conserve bytes") {
  const MachineCost m = machines(32);
  const std::vector<double> bytes = flat_ring_flows(m, 32 * MB).link_bytes();
  REQUIRE(bytes.size() == 2);
  CHECK_THAT(bytes[0], WithinRel(62 * MB, 1e-12));  // each of the 4 NICs
  CHECK_THAT(bytes[1], WithinRel(62 * MB, 1e-12));  // each of the 28 GPUs that send within their machine
}

TEST_CASE("machine flows: invalid clusters are rejected") {
  CHECK_THROWS_WITH(flat_ring_flows(machines(12), MB), "fluid: 12 GPUs cannot be divided into machines of 8");
  CHECK_THROWS_WITH(flat_ring_flows(machines(16), 0), "fluid: bytes must be above 0");
  CHECK_THROWS_WITH(tencent_flows(machines(12, 1e9, 0, 6), MB), "fluid: 6 GPUs per machine is not a power of two");
}

}  // namespace tributary::test_machine_flows
