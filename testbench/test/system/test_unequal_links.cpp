/// Parallel links between neighbours, and links of unequal bandwidth: right sums, and times by arithmetic
/// (docs/systems/multitree.md#unequal-links).
#include <catch2/catch.hpp>

#include "platforms/schedule_nic/schedule_nic_platform.h"
#include "testbench/collective/tree/multitree.h"
#include "testbench/test/harness/network_specs.h"

namespace tributary::test_unequal_links {
namespace {

constexpr double flits = 17.0 / 16;  // flits of a packet, divided by the flits of its payload
const std::string y_rate = "schedule_nic.link.y_rate=";

/// The time of an all-reduce of D bytes over trees on that multigraph: each step needs a chunk of D/16 on a link of
/// `unit` GB/s.
double steps_ns(const topology::ParallelLinks& links, double D, double unit) {
  const topology::Network units = topology::network("torus:4x4", links);
  std::vector<int> all(16);
  for (int n = 0; n < 16; ++n) all[static_cast<std::size_t>(n)] = n;
  return 2 * collective::multitree(units.graph, all).steps * D / 16 / unit * flits;
}
double time_of(const std::string& platform, const std::vector<std::string>& settings = {}) {
  return ns(network_spec(platform, "allreduce", "multitree", {4_MiB}, settings));
}
constexpr double D = 4 << 20;

}  // namespace

// Steps take 16 us; the latency of a link and of two routers is a hundredth of that.
TEST_CASE("unequal links: a step takes the time of a chunk on a unit of bandwidth", "[system][networks]") {
  const auto holds = [](double time, double steps) { return time >= steps && time <= 1.02 * steps; };
  CHECK(holds(time_of("torus:4x4:2x1"), steps_ns({1, 2}, D, 16)));
  CHECK(holds(time_of("torus:4x4:1x2"), steps_ns({2, 1}, D, 16)));
  CHECK(holds(time_of("torus:4x4", {y_rate + "32GB/s"}), steps_ns({1, 2}, D, 16)));
  CHECK(holds(time_of("torus:4x4", {y_rate + "8GB/s"}), steps_ns({2, 1}, D, 8)));
  CHECK(holds(time_of("torus:4x4:1x2", {y_rate + "32GB/s"}), steps_ns({2, 2}, D, 16)));
  // two columns of links, and trees that use them: fewer steps than one
  CHECK(time_of("torus:4x4:1x2") < 0.85 * time_of("torus:4x4"));
}

TEST_CASE("unequal links: every algorithm is right in both modes", "[system][networks]") {
  check_platform("torus:4x4:2x1", {}, {3000_B, 40_KiB});
  check_platform("torus:3x5:1x2", {}, {3000_B, 40_KiB});
  check_platform("mesh:3x4:2x2", {}, {3000_B, 40_KiB});
  check_platform("torus:4x4", {y_rate + "48GB/s"}, {3000_B, 40_KiB});
  check_platform("mesh:3x4", {y_rate + "4GB/s", "schedule_nic.flow_control.kind=message"}, {3000_B, 40_KiB});
}
TEST_CASE("unequal links: every algorithm is right with few interfaces and short queues", "[system][networks]") {
  for (const std::string platform : {"torus:4x4:2x1", "mesh:3x4:1x2"})
    check_platform(
        platform,
        {"schedule_nic.nic.interfaces.count=1", "schedule_nic.nic.interfaces.queue=1", "schedule_nic.nic.reduction.queue=1"},
        {40_KiB});
  check_platform("torus:4x4",
                 {y_rate + "32GB/s", "schedule_nic.nic.interfaces.count=2", "schedule_nic.nic.interfaces.queue=1"},
                 {40_KiB});
}

// Each chunk of MultiTree crosses the link that its tree contains: both of two parallel links carry traffic.
TEST_CASE("unequal links: trees use all parallel links", "[system][networks]") {
  const Run run = run_one(network_spec("torus:4x4:2x1", "allreduce", "multitree", {64_KiB}));
  CHECK(run.row.links.size() == 96);
  for (const LinkUse& link : run.row.links) CHECK(link.bytes > 0);
}

TEST_CASE("unequal links: trees grow on one link for each unit of bandwidth", "[pure][networks]") {
  const auto units = [](const std::string& name, const std::string& rate) {
    NetworkParams p;
    p.link.y_rate = parse_bandwidth(rate);
    const topology::Grid grid = *ScheduleNicPlatform::schedule_network(topology::network(name), p).grid;
    return std::pair(grid.y_links, grid.x_links);
  };
  CHECK(units("torus:4x4", "16GB/s") == std::pair(1, 1));
  CHECK(units("torus:4x4", "48GB/s") == std::pair(3, 1));
  CHECK(units("torus:4x4", "4GB/s") == std::pair(1, 4));
  CHECK(units("mesh:2x8:2x1", "32GB/s") == std::pair(4, 1));
  CHECK_THROWS_WITH(units("torus:4x4", "40GB/s"), Catch::Contains("integer multiple"));
  CHECK_THROWS_WITH(units("torus:4x4", "256GB/s"), Catch::Contains("at most 8 units"));
  CHECK_THROWS_WITH(units("bigraph:2x4", "32GB/s"), Catch::Contains("no Y links"));
  CHECK(topology::network("torus:4x4:2x1").graph.links().size() == 16 * 3);
  CHECK_THROWS_WITH(topology::network("torus:4x4:2"), Catch::Contains("AxB:YxX"));
  CHECK_THROWS_WITH(topology::network("torus:4x4:2x1", {2, 1}), Catch::Contains("given twice"));
}

}  // namespace tributary::test_unequal_links
