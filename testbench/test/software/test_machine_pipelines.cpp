/// Chunked all-reduces among machines as flows, compared with bounds and closed forms.

#include <catch2/catch.hpp>

#include "testbench/collective/fluid/machine_flows.h"
#include "testbench/collective/fluid/machine_pipelines.h"

namespace tributary::test_machine_pipelines {

using namespace tributary::collective;
using Catch::Matchers::WithinRel;

namespace {

constexpr double MB = 1e6, inter = 12.5e9, intra = 150e9;

MachineCost machines(int gpus, double step_time = 1e-6, int each = 8) { return {gpus, each, intra, inter, step_time}; }

}  // namespace

// A push moves a tensor up and down simultaneously; a ring moves 2 (n-1)/n of it in one direction.
TEST_CASE("machine pipelines: the switch of one machine reduces a tensor at its links' rate") {
  const MachineCost m = machines(8);
  CHECK_THAT(seconds_of(switched_machine_flows(m, 150 * MB, Between::adding)), WithinRel(1e-3 + 1e-6, 1e-9));
  CHECK_THAT(seconds_of(switched_machine_flows(m, 150 * MB, Between::rings)), WithinRel(1e-3 + 1e-6, 1e-9));
}

// The first chunk is reduced in its machine, all chunks pass the NIC once, the last chunk is broadcast: three latencies.
TEST_CASE(
    "machine pipelines: adding in switch and network takes a tensor at the NIC's rate, whatever the number of machines") {
  const double bytes = 160 * MB, chunk = bytes / 16;
  const double expected = chunk / intra + bytes / inter + chunk / intra + 3e-6;
  for (const int gpus : {16, 1024, 131'072})
    CHECK_THAT(seconds_of(switched_machine_flows(machines(gpus), bytes, Between::adding)), WithinRel(expected, 1e-9));
}

// Each NIC carries 2 (m-1)/m of the tensor, which chunks share evenly, so all chunks are broadcast at its end; latencies
// are hidden in the steps of other chunks until a chunk's own latencies take longer than that.
TEST_CASE("machine pipelines: rings between switched machines run at their NICs' rate, then are bound by latency") {
  const double bytes = 160 * MB;
  for (const int count : {2, 16, 128}) {
    const double time = seconds_of(switched_machine_flows(machines(8 * count), bytes, Between::rings));
    const double wire = 2.0 * (count - 1) / count * bytes / inter;
    INFO(count << " machines");
    CHECK(time >= wire);
    CHECK(time <= wire + bytes / 16 / intra + bytes / intra + 2 * count * 1e-6);
  }
  const int many = 16'384;
  const double time = seconds_of(switched_machine_flows(machines(8 * many), bytes, Between::rings));
  CHECK(time >= 2 * (many - 1) * 1e-6);
  CHECK(time <= 2 * (many - 1) * 1e-6 + 2 * bytes / inter);
}

// A machine sends and receives at most 2 tensors, half of each tree up and down; with two machines, one each.
TEST_CASE("machine pipelines: NICs of two binary trees carry two tensors, or one tensor with two machines") {
  for (const int count : {2, 4, 64, 16'384}) {
    const double bytes = 16 * MB;
    const std::vector<double> loads = parallel_tree_flows(machines(8 * count), bytes).link_bytes();
    double most = 0;
    for (std::size_t link = 1; link < loads.size(); ++link) most = std::max(most, loads[link]);
    INFO(count << " machines");
    CHECK_THAT(loads[0], WithinRel(2 * 7 / 8.0 * bytes, 1e-9));
    CHECK_THAT(most, WithinRel((count == 2 ? 1 : 2) * bytes, 1e-9));
  }
}

// In addition to the time on the wire, trees and rings must fill: one latency per edge, and a chunk at a quarter of the
// rate.
TEST_CASE("machine pipelines: trees run at their NICs' rate, plus a time that grows with the logarithm of the machines") {
  const double bytes = 100 * MB, wire = 2 * bytes / inter, chunk = bytes / 1526;
  for (int levels = 2; levels <= 14; levels += 4) {
    const double time = seconds_of(parallel_tree_flows(machines(8 << levels), bytes));
    INFO(levels << " levels");
    CHECK(time >= wire);
    CHECK(time <= wire + (2 * levels + 14) * (1e-6 + 4 * chunk / 2 / inter));
  }
}

// Every edge of two trees with m machines carries half a tensor up and down: 2 (m-1) edges.
TEST_CASE("machine pipelines: trees conserve bytes") {
  const ActivityGraph graph = parallel_tree_flows(machines(8 * 32), 3 * MB);
  const std::vector<double> loads = graph.link_bytes();
  const double count[] = {2, 2, 4, 8, 16};
  double out = 0, in = 0;
  for (std::size_t c = 0; c < 5; ++c) {
    out += loads[1 + 2 * c] * count[c];
    in += loads[2 + 2 * c] * count[c];
  }
  CHECK_THAT(out, WithinRel(2 * 31 * 3 * MB, 1e-9));
  CHECK_THAT(in, WithinRel(2 * 31 * 3 * MB, 1e-9));
}

TEST_CASE("machine pipelines: trees of one machine are a ring within it") {
  const double bytes = 64 * 1024;
  CHECK_THAT(seconds_of(parallel_tree_flows(machines(8), bytes)), WithinRel(14 * (bytes / 8 / intra + 1e-6), 1e-9));
}

TEST_CASE("machine pipelines: invalid clusters are rejected") {
  CHECK_THROWS_WITH(switched_machine_flows(machines(12), MB, Between::rings),
                    "fluid: 12 GPUs cannot be divided into machines of 8");
  CHECK_THROWS_WITH(switched_machine_flows(machines(16), 0, Between::adding), "fluid: bytes must be above 0");
  CHECK_THROWS_WITH(parallel_tree_flows(machines(24), MB), "fluid: 3 machines is not a power of two");
}

}  // namespace tributary::test_machine_pipelines
