/// Calculates how evenly the address hash spreads blocks over a machine (docs/systems/klenk.md#address-hash).
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <string>

#include "platforms/nvswitch/placement.h"
#include "testbench/test/harness/fabric_paths.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_address_map {

using Hash = AddressMap::Hash;

namespace {

const AddressMap::Shape dgx2_shape{6, 2, 16, 8}, tree_shape{6, 24, 16, 8, 8};
constexpr std::uint64_t all_homes = 6 * 24 * 16;  // blocks that use each port of the fat tree once

/// Loads of the links of one class at 120 GB/s of algbw, as fractions of 25 GB/s.
struct Class {
  double least = 1e9, most = 0, sum = 0;
  int links = 0;
  double mean() const { return sum / links; }
};

/// `up`: leaf to spine; `down`: spine to leaf; `in`, `out`: GPU to leaf, leaf to GPU. Links of the groups of `gpus`.
std::map<std::string, Class> classes(const FabricPaths& paths, const LinkLoads& loads, const std::vector<int>& gpus,
                                     std::uint64_t blocks) {
  std::set<int> groups;
  for (const int g : gpus) groups.insert(g / 8);
  const topology::Graph& graph = paths.graph();
  const auto kind = [&](int node) {
    return graph.node(node).kind == topology::NodeKind::gpu ? 'g' : graph.node(node).group < 0 ? 's' : 'l';
  };
  const std::map<std::string, std::string> names{{"gl", "in"}, {"lg", "out"}, {"ls", "up"}, {"sl", "down"}, {"ll", "trunk"}};
  std::map<std::string, Class> result;
  for (const topology::Link& link : graph.links())
    for (const auto& [from, to] : {std::pair{link.a, link.b}, std::pair{link.b, link.a}}) {
      const topology::Node &near = graph.node(from.node), &far = graph.node(to.node);
      if (groups.count(near.group < 0 ? far.group : near.group) == 0) continue;
      Class& c = result[names.at(std::string{kind(from.node), kind(to.node)})];
      const double share = loads.at(from) / (static_cast<double>(blocks) * 128) * 120 / 25;
      c.least = std::min(c.least, share), c.most = std::max(c.most, share), c.sum += share, ++c.links;
    }
  return result;
}

std::map<std::string, Class> loads_of(const std::string& name, Hash hash, const std::vector<int>& gpus,
                                      std::uint64_t blocks = all_homes) {
  const FabricPaths paths(machine(name), gpus);
  const AddressMap map(hash, paths.machine().shape, 1);
  return classes(paths, push_loads(paths, map, gpus, blocks), gpus, blocks);
}

/// Returns the algbw at which the busiest link is saturated.
double cap(const std::string& name, Hash hash, const std::vector<int>& gpus, std::uint64_t blocks = all_homes) {
  const FabricPaths paths(machine(name), gpus);
  const AddressMap map(hash, paths.machine().shape, 1);
  double most = 0;  // groups without ranks have homes too
  for (const auto& [link, c] : classes(paths, push_loads(paths, map, gpus, blocks), first_gpus(128), blocks))
    most = std::max(most, c.most);
  return 120 / most;
}

void check_even(const Class& c, double share) {
  CHECK(c.least == Approx(share).epsilon(1e-3));
  CHECK(c.most == Approx(share).epsilon(1e-3));
}

/// Returns the load of the busiest plane, home switch, home port or trunk relative to the mean, for blocks 0, stride, 2 x
/// stride ...
double imbalance(Hash hash, const AddressMap::Shape& shape, std::uint64_t stride, unsigned blocks) {
  const AddressMap map(hash, shape, 1);
  std::vector<unsigned> plane(shape.planes), home(shape.switches), port(shape.ports), trunk(shape.trunks);
  for (std::uint64_t i = 0; i < blocks; ++i) {
    const FabricLocation l = map.locate(i * stride * 128);
    ++plane[l.plane], ++home[l.home_switch], ++port[l.home_port], ++trunk[l.trunk];
  }
  double worst = 0;
  for (const std::vector<unsigned>& load : {plane, home, port, trunk})
    worst = std::max(worst, *std::max_element(load.begin(), load.end()) * static_cast<double>(load.size()) / blocks);
  return worst;
}

}  // namespace

TEST_CASE("interleave on the fat tree selects plane, home switch, home port and spine", "[pure][hash]") {
  const AddressMap map(Hash::interleave, tree_shape, 1);
  for (std::uint64_t b = 0; b < 3 * all_homes; ++b) {
    const FabricLocation l = map.locate(b * 128 + 5);
    const std::uint64_t x = b / 6, s = x % 24;
    REQUIRE(l.plane == b % 6);
    REQUIRE(l.home_switch == s);
    REQUIRE(l.home_port == x / 24 % 16);
    REQUIRE(l.trunk == (s >= 16 ? s - 16 : (x + x / 24) % 8));
  }
}

TEST_CASE("strided: the spine is x/2 mod 8, so that only two spines lead to each leaf", "[pure][hash]") {
  const AddressMap map(Hash::strided, tree_shape, 1);
  std::map<unsigned, std::set<unsigned>> spines_of;
  for (std::uint64_t b = 0; b < all_homes; ++b) {
    const FabricLocation l = map.locate(b * 128);
    if (l.home_switch < 16) REQUIRE(l.trunk == b / 6 / 2 % 8);
    spines_of[l.home_switch].insert(l.trunk);
  }
  for (const auto& [s, spines] : spines_of) CHECK(spines.size() == (s < 16 ? 2 : 1));
  // Two boards: s is x mod 2, and the rule equals interleaving.
  const AddressMap two(Hash::strided, dgx2_shape, 1), interleaved(Hash::interleave, dgx2_shape, 1);
  for (std::uint64_t b = 0; b < 1000; ++b) CHECK(two.locate(b * 128).trunk == interleaved.locate(b * 128).trunk);
}

TEST_CASE("every hash reaches a spine's home over that spine", "[pure][hash]") {
  for (const Hash hash : {Hash::interleave, Hash::strided, Hash::xor_folded, Hash::random}) {
    const AddressMap map(hash, tree_shape, 7);
    std::set<unsigned> homes;
    for (std::uint64_t b = 0; b < 4 * all_homes; ++b) {
      const FabricLocation l = map.locate(b * 128);
      REQUIRE((l.plane < 6 && l.home_switch < 24 && l.home_port < 16 && l.trunk < 8));
      if (l.home_switch >= 16) REQUIRE(l.trunk == l.home_switch - 16);
      homes.insert((l.plane * 24u + l.home_switch) * 16u + l.home_port);
    }
    CHECK(homes.size() >= (hash == Hash::random ? 2100 : all_homes));
  }
}

TEST_CASE("link loads: push on 128 GPUs, interleaved, loads all links of a class equally", "[pure][hash]") {
  auto loads = loads_of("fat_tree", Hash::interleave, first_gpus(128));
  check_even(loads["in"], 1.0);   // 160 B per 128 B at 120 GB/s
  check_even(loads["out"], 0.9);  // 144 B
  CHECK(loads["up"].links == 768);
  check_even(loads["up"], 0.963);    // (8 x 160 x 23/24 + 144/24) B over 8 links
  check_even(loads["down"], 0.733);  // (120 x 160 / 24 + 144 x 23/24) B over 8 links
  CHECK(cap("fat_tree", Hash::interleave, first_gpus(128)) == Approx(120));
}

TEST_CASE("link loads: push on 64 GPUs, contiguous and spread, has the calculated loads", "[pure][hash]") {
  auto full = loads_of("fat_tree", Hash::interleave, first_gpus(64));
  check_even(full["up"], 0.963);
  check_even(full["down"], (56 * 160 / 24.0 + 144 * 23 / 24.0) / 8 / 128 * 120 / 150);  // 0.40
  CHECK(full["down"].mean() == Approx(0.40).margin(0.01));
  auto spread = loads_of("fat_tree", Hash::interleave, place(machine("fat_tree").graph, 64, Placement::spread));
  check_even(spread["up"], (4 * 160 * 23 / 24.0 + 144 / 24.0) / 8 / 128 * 120 / 150);
  CHECK(spread["up"].mean() == Approx(0.48).margin(0.01));
}

TEST_CASE("link loads: strided limits push to 46 GB/s on 128 GPUs and to 90 GB/s on 64", "[pure][hash]") {
  const auto all = loads_of("fat_tree", Hash::strided, first_gpus(128));
  CHECK(cap("fat_tree", Hash::strided, first_gpus(128)) == Approx(46).margin(0.5));
  CHECK(all.at("down").most / all.at("down").mean() == Approx(3.5).margin(0.1));
  CHECK(cap("fat_tree", Hash::strided, first_gpus(64)) == Approx(90).margin(1));
}

TEST_CASE("link loads: xor folding balances as well as interleaving, a random hash does not", "[pure][hash]") {
  constexpr std::uint64_t many = 8 * all_homes;
  CHECK(cap("fat_tree", Hash::xor_folded, first_gpus(128), many) > 117);
  CHECK(cap("fat_tree", Hash::random, first_gpus(128), many) < 112);
}

TEST_CASE("link loads: push on 16 GPUs of a DGX-2 has the calculated loads", "[pure][hash]") {
  for (const Hash hash : {Hash::interleave, Hash::strided}) {
    auto loads = loads_of("dgx2", hash, first_gpus(16), 192);
    check_even(loads["in"], 1.0);
    check_even(loads["out"], 0.9);
    check_even(loads["trunk"], (8 * 80 + 72) / 8.0 / 128 * 120 / 150);  // half of the operands and acks, half of the results
  }
}

TEST_CASE("xor folding permutes every aligned window of 2^n blocks", "[pure][hash]") {
  for (const std::uint64_t window : {16u, 1024u, 4096u})
    for (const std::uint64_t start : {0ull, 5ull * 4096, 123'457ull * 4096, 1ull << 40}) {
      std::set<std::uint64_t> images;
      for (std::uint64_t b = start; b < start + window; ++b) images.insert(xor_fold(b));
      CHECK(images.size() == window);
      CHECK(*images.rbegin() - *images.begin() == window - 1);
    }
}

TEST_CASE("xor folding: 4096 blocks at any stride of 2^n differ in their lower 12 bits", "[pure][hash]") {
  for (unsigned n = 0; n <= 40; ++n) {
    std::set<std::uint64_t> images;
    for (std::uint64_t i = 0; i < 4096; ++i) images.insert(xor_fold(i << n) & 4095);
    CHECK(images.size() == 4096);
  }
}

TEST_CASE("strides of powers of two: xor folding spreads them, interleaving does not", "[pure][hash]") {
  constexpr unsigned blocks = 36'864;
  for (const AddressMap::Shape& shape : {dgx2_shape, tree_shape})
    for (unsigned n = 0; n <= 24; ++n) {
      INFO(shape.switches << " switches, stride 2^" << n);
      const std::uint64_t stride = std::uint64_t{1} << n;
      CHECK(imbalance(Hash::xor_folded, shape, stride, blocks) < 1.25);
      CHECK(imbalance(Hash::random, shape, stride, blocks) < 1.25);
      if (n >= 1) CHECK(imbalance(Hash::interleave, shape, stride, blocks) > 1.9);  // three planes of six
      if (n == 0) CHECK(imbalance(Hash::interleave, shape, stride, blocks) < 1.001);
    }
}

}  // namespace tributary::test_address_map
