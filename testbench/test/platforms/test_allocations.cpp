/// Tests servers of GPUs, and the sets of GPUs that a job may be assigned (docs/systems/blink.md#machines).
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "platforms/topology/allocation.h"
#include "platforms/topology/dgx1.h"
#include "platforms/topology/graph.h"

namespace tributary::test_allocations {

using namespace tributary::topology;
using Catch::Matchers::Contains;

namespace {

int links_of(const Server& s, int gpu) {
  int sum = 0;
  for (int other = 0; other < s.gpus(); ++other) sum += s.between(gpu, other);
  return sum;
}

std::map<int, int> per_size(const std::vector<AllocationClass>& classes) {
  std::map<int, int> sizes;
  for (const AllocationClass& c : classes) ++sizes[c.first.ranks()];
  return sizes;
}

int sets(const std::vector<AllocationClass>& classes) {
  int all = 0;
  for (const AllocationClass& c : classes) all += static_cast<int>(c.gpus.size());
  return all;
}

}  // namespace

TEST_CASE("servers: the two DGX-1 have 16 pairs, with 4 and 6 links per GPU", "[pure]") {
  for (const Server& s : {dgx1p(), dgx1v()}) {
    CHECK_NOTHROW(check(s));
    int pairs = 0, links = 0;
    for (int a = 0; a < 8; ++a) {
      CHECK(links_of(s, a) == (s.name == "dgx1v" ? 6 : 4));
      for (int b = 0; b < a; ++b) pairs += s.between(a, b) > 0, links += s.between(a, b);
      CHECK(s.socket_of(s.gpu_on[static_cast<std::size_t>(a)]) == a / 4);
    }
    CHECK(pairs == 16);
    CHECK(links == (s.name == "dgx1v" ? 24 : 16));
    CHECK(s.between(1, 4) == 0);  // the paper's example of two GPUs without a link
    CHECK(s.nic_on.size() == 4);
    CHECK(server(s.name).links == s.links);
  }
  CHECK_THROWS_WITH(server("dgx1w"), Contains("dgx1v"));
}

TEST_CASE("servers: inconsistent servers are refused", "[pure]") {
  const auto refused = [](void (*spoil)(Server&), const char* why) {
    Server s = dgx1v();
    spoil(s);
    CHECK_THROWS_WITH(check(s), Contains(why));
  };
  refused([](Server& s) { s.links[2][3] = 1; }, "GPUs 2 and 3 count their links differently");
  refused([](Server& s) { s.links[2][3] = -1; }, "negative");
  refused([](Server& s) { s.links[5][5] = 1; }, "GPU 5 has a link to itself");
  refused([](Server& s) { s.links[5].pop_back(); }, "square");
  refused([](Server& s) { s.pcie[3].parent = 3; }, "PCIe node 3");
  refused([](Server& s) { s.gpu_on.pop_back(); }, "not every GPU");
  refused([](Server& s) { s.nic_on[1] = 6; }, "NIC 1 is on PCIe node 6");
  CHECK_THROWS_WITH(allocation(dgx1v(), {1, 8}), Contains("GPU 8 does not exist"));
  CHECK_THROWS_WITH(allocation(dgx1v(), {1, 1}), Contains("GPU 1 is named twice"));
}

TEST_CASE("allocations: there are 46 and 14 classes of 3 to 8 GPUs connected by NVLinks", "[pure]") {
  const auto v = allocation_classes(dgx1v(), 3, 8), p = allocation_classes(dgx1p(), 3, 8);
  CHECK(v.size() == 46);
  CHECK(p.size() == 14);
  CHECK(per_size(v) == std::map<int, int>{{3, 5}, {4, 14}, {5, 14}, {6, 10}, {7, 2}, {8, 1}});
  CHECK(per_size(p) == std::map<int, int>{{3, 2}, {4, 4}, {5, 3}, {6, 3}, {7, 1}, {8, 1}});
  CHECK(sets(v) == 181);
  CHECK(sets(p) == 181);
  const auto all_v = allocation_classes(dgx1v(), 3, 8, true), all_p = allocation_classes(dgx1p(), 3, 8, true);
  CHECK(all_v.size() == 53);
  CHECK(all_p.size() == 17);
  CHECK(sets(all_v) == 219);  // C(8,3) + ... + C(8,8)
  CHECK(sets(all_p) == 219);
}

TEST_CASE("allocations: the class does not depend on the numbering of the GPUs", "[pure]") {
  std::mt19937 random(7);
  for (int i = 0; i < 200; ++i) {
    const Server s = i % 2 == 0 ? dgx1v() : dgx1p();
    std::vector<int> gpus{0, 1, 2, 3, 4, 5, 6, 7};
    std::shuffle(gpus.begin(), gpus.end(), random);
    gpus.resize(3 + random() % 6);
    const auto key = canonical_class(allocation(s, gpus));
    std::shuffle(gpus.begin(), gpus.end(), random);
    CHECK(canonical_class(allocation(s, gpus)) == key);
  }
  CHECK(canonical_class(allocation(dgx1v(), {0, 1, 2})) != canonical_class(allocation(dgx1v(), {0, 3, 4})));
}

TEST_CASE("allocations: a complete graph of 16 ranks is distinguished from one with a link missing", "[pure]") {
  Allocation complete;
  for (int i = 0; i < 16; ++i) complete.gpus.push_back(i);
  complete.links.assign(16, std::vector<int>(16, 1));
  for (std::size_t i = 0; i < 16; ++i) complete.links[i][i] = 0;
  Allocation one = complete, other = complete;
  one.links[2][9] = one.links[9][2] = 0;
  other.links[15][0] = other.links[0][15] = 0;
  CHECK(canonical_class(one) == canonical_class(other));
  CHECK(canonical_class(one) != canonical_class(complete));
}

}  // namespace tributary::test_allocations
