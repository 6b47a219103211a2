/// Servers of clusters: rates of data sheets, NICs of GPUs, names.
#include <catch2/catch.hpp>

#include "platforms/cluster/cluster_server.h"
#include "platforms/cluster/nic_choice.h"

namespace tributary::test_cluster_server {

using Catch::Matchers::Contains;

TEST_CASE("cluster server: rates of the data sheets", "[pure]") {
  struct Row {
    const char* name;
    int gpus, links;
    double link_rate;
    int nics;
    double nic_rate, pcie_rate;
    bool adds;
  };
  for (const Row& row : {Row{"dgx2", 16, 6, 25e9, 8, 12.5e9, 15.754e9, true},
                         {"a100", 8, 12, 25e9, 8, 25e9, 31.508e9, false},
                         {"h100", 8, 18, 25e9, 8, 50e9, 63.015e9, true},
                         {"b200", 8, 18, 50e9, 8, 50e9, 63.015e9, true}}) {
    INFO(row.name);
    const ClusterServer s = cluster_server(row.name, {});
    CHECK(s.gpus == row.gpus);
    CHECK(s.nvlinks == row.links);
    CHECK(s.nvlink_rate == row.link_rate);
    CHECK(s.nics == row.nics);
    CHECK(s.nic_rate == row.nic_rate);
    CHECK(s.pcie_rate == Approx(row.pcie_rate).epsilon(1e-3));
    CHECK(s.adds == row.adds);
  }
}

TEST_CASE("cluster server: each GPU has the nearest NIC with the fewest GPUs", "[pure]") {
  CHECK(cluster_server("a100", {}).nic_of == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(cluster_server("dgx2", {}).nic_of == std::vector<int>{0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7});
}

TEST_CASE("cluster server: parameters replace NICs and rates", "[pure]") {
  ClusterParams params;
  params.nics = 4;
  params.nic_rate = 200_Gbps;
  params.pcie.rate = 20_GBps;
  ClusterServer s = cluster_server("h100", params);
  CHECK(s.nics == 4);
  CHECK(s.nic_of == std::vector<int>{0, 0, 1, 1, 2, 2, 3, 3});
  CHECK(s.nic_rate == 25e9);
  CHECK(s.pcie_rate == 20e9);
  params.nics = 32;  // p5: 32 of 100 Gb/s are 8 of 400
  params.nic_rate = 100_Gbps;
  s = cluster_server("h100", params);
  CHECK(s.nics == 8);
  CHECK(s.nic_rate == 50e9);
  REQUIRE(s.notes.size() == 1);
  CHECK_THAT(s.notes[0], Contains("4 NICs of a GPU"));
  params.nics = 3;
  CHECK_THROWS_WITH(cluster_server("h100", params), Contains("cluster.nics=3 cannot be divided among 8 GPUs"));
}

namespace {

/// Four GPUs at PCIe switches of their own, with NICs at the PCIe nodes `nic_on`. Node 0 is a socket.
topology::Server four_gpus(const std::vector<int>& nic_on, const std::vector<std::uint64_t>& nic_rate, int width) {
  topology::Server s;
  s.name = "four", s.sm = 90, s.nvlink_rate = 25'000'000'000;
  s.links.assign(4, std::vector<int>(4, 0));
  s.switch_links.assign(4, {9, 9});
  s.pcie.assign(1, {});
  for (int i = 0; i < 4; ++i) s.pcie.push_back({0, -1, {32, 16}, 0});
  s.gpu_on = {1, 2, 3, 4}, s.gpu_up.assign(4, {32, 16});
  s.nic_on = nic_on, s.nic_up.assign(nic_on.size(), {32, width}), s.nic_rate = nic_rate;
  return s;
}

constexpr std::uint64_t G200 = 25'000'000'000, G100 = 12'500'000'000;
constexpr double x16 = 32e9 * 16 / 8 * 128 / 130;  // 32 GT/s, 128b/130b

}  // namespace

TEST_CASE("cluster server: NICs of a GPU together have the rates of their links, up to that of the GPU", "[pure]") {
  const std::vector<std::uint64_t> rates(8, G200);
  const NicChoice wide = choose_nics(four_gpus({1, 1, 2, 2, 3, 3, 4, 4}, rates, 8));
  CHECK(wide.nics == 4);
  CHECK(wide.joined == 2);
  CHECK(wide.nic_of == std::vector<int>{0, 1, 2, 3});
  CHECK(wide.pcie_rate == Approx(x16).epsilon(1e-4));
  CHECK(choose_nics(four_gpus({1, 1, 2, 2, 3, 3, 4, 4}, rates, 4)).pcie_rate == Approx(x16 / 2).epsilon(1e-4));
  CHECK(choose_nics(four_gpus({1, 1, 2, 2, 3, 3, 4, 4}, rates, 16)).pcie_rate == Approx(x16).epsilon(1e-4));
}

TEST_CASE("cluster server: NICs of other rates, and NICs farther away, serve no GPU", "[pure]") {
  const NicChoice storage = choose_nics(four_gpus({0, 1, 2, 3, 4}, {G100, G200, G200, G200, G200}, 16));
  CHECK(storage.nics == 4);
  CHECK(storage.joined == 1);
  CHECK(storage.nic_rate == 25e9);
  CHECK(storage.nic_of == std::vector<int>{0, 1, 2, 3});
  CHECK(storage.notes == std::vector<std::string>{"unused NICs of other rates: 1"});
  // Eight NICs for GPUs and two for storage, all of one rate, as in a DGX A100: here four and one.
  const NicChoice equal = choose_nics(four_gpus({0, 1, 2, 3, 4}, std::vector<std::uint64_t>(5, G200), 16));
  CHECK(equal.nics == 4);
  CHECK(equal.joined == 1);
  CHECK(equal.notes == std::vector<std::string>{"unused NICs farther from the GPUs: 1"});
}

TEST_CASE("cluster server: a path through a socket has a note", "[pure]") {
  const NicChoice choice = choose_nics(four_gpus({0, 0}, {G200, G200}, 16));
  CHECK(choice.nics == 2);
  CHECK(choice.nic_of == std::vector<int>{0, 1, 0, 1});  // the NIC with fewest GPUs
  REQUIRE(choice.notes.size() == 1);
  CHECK_THAT(choice.notes[0], Contains("4 GPUs to their NICs crosses a socket"));
}

TEST_CASE("cluster server: switches add where they can or shall", "[pure]") {
  ClusterParams params;
  params.adds = SwitchAdds::yes;
  CHECK(cluster_server("a100", params).adds);
  params.adds = SwitchAdds::no;
  CHECK_FALSE(cluster_server("h100", params).adds);
}

TEST_CASE("cluster server: unknown servers are refused", "[pure]") {
  CHECK_THROWS_WITH(cluster_server("dgx1v", {}), Contains("no server 'dgx1v' in clusters (legal: dgx2, a100, h100"));
  CHECK_THROWS_WITH(cluster_server("h99", {}), Contains("no server 'h99'"));
}

TEST_CASE("cluster name: servers and their number", "[pure]") {
  CHECK(cluster_name("cluster:128xh100").servers == 128);
  CHECK(cluster_name("cluster:128xh100").server == "h100");
  CHECK(cluster_name("cluster:2xfile:x.xml").server == "file:x.xml");
  for (const char* bad : {"cluster:0xh100", "cluster:5000xh100", "cluster:h100", "cluster:xh100", "cluster:2x", "cluster",
                          "cluster:-1xh100", "cluster:99999999999xh100"})
    CHECK_THROWS_WITH(cluster_name(bad), Contains("legal: cluster:NxSERVER"));
}

}  // namespace tributary::test_cluster_server
