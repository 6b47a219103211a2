/// Links of several groups and jobs: names, classes of common links, groups that are one class.
#include <catch2/catch.hpp>

#include <algorithm>
#include <map>

#include "testbench/collective/fluid/fluid_run.h"
#include "testbench/family/cluster/flows/cluster_flows.h"
#include "testbench/family/cluster/flows/even_groups.h"
#include "testbench/test/cluster/cluster_models.h"

namespace tributary::test_cluster_sharing {

using namespace tributary::collective;
using test_cluster::model;

namespace {

constexpr std::uint64_t MiB = 1 << 20;
using Sets = std::vector<std::vector<std::size_t>>;

std::string name(const ClusterModel& m, LinkKind kind, const LinkPlaces& places) { return link_at(m, kind, places, 5).name; }

ClusterFlows flows(const ClusterModel& m, const std::vector<int>& ranks, const char* collective = "allreduce") {
  return ClusterFlows(m, collective, "ring_ring", *shape_of(ranks, m.server.gpus));
}

Sets sets(const ClusterModel& m, const std::vector<std::vector<int>>& groups, const char* collective = "allreduce") {
  std::vector<std::vector<ClusterLink>> links;
  for (const std::vector<int>& ranks : groups) links.push_back(flows(m, ranks, collective).links());
  return even_groups(links);
}

/// Several transfers at once.
struct Together {
  Together(const ClusterModel& m, const std::vector<const ClusterFlows*>& all, std::uint64_t bytes) {
    std::vector<const std::vector<ClusterLink>*> links;
    for (const ClusterFlows* f : all) links.push_back(&f->links());
    const SharedLinks shared(m, links);
    ActivityGraph graph;
    for (const ClusterLink& link : shared.links()) graph.add_link(link.rate, link.count);
    std::vector<ActivityGraph::Id> ends;
    for (std::size_t f = 0; f < all.size(); ++f) {
      all[f]->add(bytes, 0, graph, shared.of(f), static_cast<std::uint32_t>(ClusterFlows::lanes * f));
      ends.push_back(static_cast<ActivityGraph::Id>(graph.size()));
    }
    FluidRun run(graph);
    run.run();
    REQUIRE(run.stuck() == 0);
    for (std::size_t f = 0; f < all.size(); ++f) {
      double end = 0;
      for (ActivityGraph::Id a = f == 0 ? 0 : ends[f - 1]; a < ends[f]; ++a) end = std::max(end, run.arrived(a));
      us.push_back(end * 1e-6);
    }
    const std::vector<double> crossed = graph.link_bytes();
    for (std::size_t l = 0; l < crossed.size(); ++l) {
      bytes_of[shared.links()[l].name] = crossed[l], count[shared.links()[l].name] = shared.links()[l].count;
      all_bytes += crossed[l] * shared.links()[l].count;
    }
  }
  std::vector<double> us;
  std::map<std::string, double> bytes_of, count;
  double all_bytes = 0;
};

double bytes_alone(const ClusterModel& m, const ClusterFlows& f, std::uint64_t bytes) {
  return Together(m, {&f}, bytes).all_bytes;
}

}  // namespace

TEST_CASE("cluster links: names have the numbers of servers and of their devices", "[pure]") {
  const ClusterModel m = model("h100", 4);
  LinkPlaces all(32), servers{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  for (std::uint32_t p = 0; p < 32; ++p) all[p] = p;
  CHECK(name(m, LinkKind::gpu_out, all) == "gpu*.port*>switch*.port*");
  CHECK(name(m, LinkKind::gpu_in, servers) == "switch*.port*>gpu0-1_*.port*");
  CHECK(name(m, LinkKind::nic_out, {3, 11, 19, 27}) == "nic*_3.port0>leaf*.port*");
  CHECK(name(m, LinkKind::pcie_in, {0, 16}) == "nic0,2_0.pcie>gpu*.pcie");
  CHECK(name(m, LinkKind::nic_in, {0, 9}) == "leaf*.port*>nic*.class5.port0");  // no rectangle of servers and NICs
  const ClusterModel dgx2 = model("dgx2", 4);
  CHECK(name(dgx2, LinkKind::board_out, {0, 1, 2, 3}) == "board0.port*>board1.port*");
  CHECK(name(dgx2, LinkKind::board_in, {1}) == "board1.server1.port*>board0.server1.port*");
}

TEST_CASE("cluster groups: they are one class if they load links evenly", "[pure]") {
  const ClusterModel m = model("dgx2", 4);  // GPUs 0 and 1 have NIC 0
  const std::vector<int> first{0, 16, 32, 48}, second{1, 17, 33, 49}, third{2, 18, 34, 50}, turned{49, 33, 17, 1};
  CHECK(sets(m, {first, second}) == Sets{{0, 1}});
  CHECK(sets(m, {first, second, third}) == Sets{{0, 1}, {2}});
  CHECK(sets(m, {first, third, second}) == Sets{{0, 2}, {1}});
  CHECK(sets(m, {first, {1, 17}, third}) == Sets{{0}, {1}, {2}});
  // The first server of one chain is the last one of the other.
  CHECK(sets(m, {first, second}, "broadcast") == Sets{{0, 1}});
  CHECK(sets(m, {first, turned}, "broadcast") == Sets{{0}, {1}});
}

TEST_CASE("cluster sharing: a NIC of two jobs carries the bytes of both, other NICs those of one", "[pure]") {
  const ClusterModel m = model("dgx2", 4);
  const ClusterFlows all = flows(m, {0, 16, 32, 48}), two = flows(m, {1, 17});
  const Together both(m, {&all, &two}, 16 * MiB), one(m, {&all}, 16 * MiB), other(m, {&two}, 16 * MiB);
  CHECK(both.count.at("nic0-1_0.port0>leaf*.port*") == 2);
  CHECK(both.count.at("nic2-3_0.port0>leaf*.port*") == 2);
  const double of_all = one.bytes_of.at("nic*_0.port0>leaf*.port*"),
               of_two = other.bytes_of.at("nic0-1_0.port0>leaf*.port*");
  CHECK(both.bytes_of.at("nic0-1_0.port0>leaf*.port*") == Approx(of_all + of_two).epsilon(1e-12));
  CHECK(both.bytes_of.at("nic2-3_0.port0>leaf*.port*") == Approx(of_all).epsilon(1e-12));
  CHECK(both.all_bytes == Approx(one.all_bytes + other.all_bytes).epsilon(1e-12));
  // The NICs of servers 0 and 1 are busy with both: 1.5 S and S.
  const double wire = (of_all + of_two) / 12.5e3;
  CHECK(std::max(both.us[0], both.us[1]) >= wire);
  CHECK(std::max(both.us[0], both.us[1]) <= 1.1 * wire);
}

TEST_CASE("cluster sharing: jobs on other servers do not slow each other", "[pure]") {
  const ClusterModel m = model("h100", 6);
  const ClusterFlows two = flows(m, {0, 8}), four = flows(m, {16, 24, 32, 40});
  const Together both(m, {&two, &four}, 16 * MiB);
  CHECK(both.us[0] == Approx(Together(m, {&two}, 16 * MiB).us[0]).epsilon(1e-12));
  CHECK(both.us[1] == Approx(Together(m, {&four}, 16 * MiB).us[0]).epsilon(1e-12));
}

TEST_CASE("cluster sharing: jobs on other NICs share the uplinks of a rack", "[pure]") {
  ClusterModel m = model("h100", 4);
  m.leaf_is_rack = m.joined = true, m.rails_apart = false;
  m.racks = 2, m.spines = 1;
  const ClusterFlows two = flows(m, {8, 16}), four = flows(m, {1, 9, 17, 25});  // both cross from rack 0 to rack 1
  const Together both(m, {&two, &four}, 16 * MiB);
  const std::string up = "leaf*.port*>spine*.port*";
  CHECK(
      both.bytes_of.at(up) ==
      Approx(Together(m, {&two}, 16 * MiB).bytes_of.at(up) + Together(m, {&four}, 16 * MiB).bytes_of.at(up)).epsilon(1e-12));
  CHECK(std::max(both.us[0], both.us[1]) >= both.bytes_of.at(up) / 50e3);
}

TEST_CASE("cluster sharing: transfers that share nothing have the bytes of each", "[pure]") {
  const ClusterModel m = model("h100", 6);
  const ClusterFlows two = flows(m, {0, 8}), four = flows(m, {16, 24, 32, 40});
  CHECK(Together(m, {&two, &four}, MiB).all_bytes ==
        Approx(bytes_alone(m, two, MiB) + bytes_alone(m, four, MiB)).epsilon(1e-12));
}

}  // namespace tributary::test_cluster_sharing
