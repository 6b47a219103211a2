/// Theoretical speed-ups over rings, all classes of both machines (Fig. 13; docs/systems/blink.md#baseline).
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "platforms/topology/dgx1.h"
#include "testbench/collective/packing/ring_search.h"
#include "testbench/collective/packing/undirected_packing.h"
#include "testbench/family/blink/algorithms.h"

namespace tributary::test_tree_speed_up {

using namespace tributary::collective;

namespace {

struct SpeedUps {
  double geometric_mean, least, most;
};

SpeedUps speed_ups(const topology::Server& server, const std::string& collective, double pcie_ring) {
  const auto& algorithms = tree_algorithms();
  const auto algorithm = std::find_if(algorithms.begin(), algorithms.end(),
                                      [&](const TreeAlgorithm& m) { return m.algorithm.collective == collective; });
  SpeedUps s{0, 1e9, 0};
  const auto classes = topology::allocation_classes(server, 3, 8);
  for (const topology::AllocationClass& c : classes) {
    const double rate = algorithm->rooted ? static_cast<double>(least_cut(directed_links(c.first), 0).capacity)
                                          : undirected_packing(undirected_links(c.first)).bound.rate().value();
    const double rings = find_rings(c.first).links();
    const double ratio = rate / (algorithm->ring_share(c.first.ranks()) * (rings > 0 ? rings : pcie_ring));
    s.geometric_mean += std::log(ratio) / static_cast<double>(classes.size());
    s.least = std::min(s.least, ratio), s.most = std::max(s.most, ratio);
  }
  s.geometric_mean = std::exp(s.geometric_mean);
  return s;
}

void check(const SpeedUps& s, double mean, double most) {
  CHECK(s.geometric_mean == Approx(mean).epsilon(0.01));
  CHECK(s.most == Approx(most).epsilon(0.001));
  CHECK(s.least >= 1 - 1e-9);
}

}  // namespace

TEST_CASE("TreeGen: theoretical speed-ups over rings have the calculated values if a PCIe ring is half a link", "[pure]") {
  check(speed_ups(topology::dgx1p(), "broadcast", 0.5), 1.357, 2);
  check(speed_ups(topology::dgx1v(), "broadcast", 0.5), 1.61, 4);
  check(speed_ups(topology::dgx1p(), "allreduce", 0.5), 1.666, 3.2);
  check(speed_ups(topology::dgx1v(), "allreduce", 0.5), 2.29, 6.4);
}

TEST_CASE("TreeGen: theoretical speed-ups over rings have the calculated values if a PCIe ring is a third of a link",
          "[pure]") {
  check(speed_ups(topology::dgx1p(), "broadcast", 1 / 3.0), 1.569, 3);
  check(speed_ups(topology::dgx1v(), "broadcast", 1 / 3.0), 1.94, 6);
  check(speed_ups(topology::dgx1p(), "allreduce", 1 / 3.0), 1.925, 4.8);
  check(speed_ups(topology::dgx1v(), "allreduce", 1 / 3.0), 2.76, 9.6);
}

}  // namespace tributary::test_tree_speed_up
