/// Scripted faults of the links of clusters: those of NVLinks and those of frames, told apart by the link that they name.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "platforms/link_fault.h"
#include "testbench/run/add_fault.h"
#include "testbench/run/family.h"
#include "testbench/run/resolve.h"
#include "testbench/test/harness/mode_check.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_cluster_faults {
namespace {

using Catch::Matchers::Contains;
using Texts = std::vector<std::string>;

RunSpec on(const std::string& platform, const std::string& algorithm, const Texts& faults, const Texts& settings = {},
           Bytes size = 256_KiB) {
  RunSpec spec = collective_spec("allreduce", algorithm, first_gpus(16), {size}, settings);
  spec.platform = platform;
  const topology::Graph graph = family_of(spec.platform).graph_of_run(spec);
  for (const std::string& fault : faults) add_fault(spec, fault, graph);
  return spec;
}

std::string refusal(const std::string& algorithm, const std::string& fault, const Texts& settings = {}) {
  try {
    check_run(on("cluster:2xh100", algorithm, {fault}, settings));
    return "";
  } catch (const std::exception& error) {
    return error.what();
  }
}

std::uint64_t bytes_of(const ResultRow& row, const std::string& link) {
  for (const LinkUse& use : row.links)
    if (use.name == link) return use.bytes;
  return 0;
}

}  // namespace

TEST_CASE("cluster faults: the protocol of the link decides what a fault is", "[cluster]") {
  const RunSpec spec = on("cluster:2xh100", "pull_ring",
                          {"corrupt:gpu0.port0:3", "duplicate:gpu9.port2>server1_switch2.port4:1", "drop:nic0_0.port0:2",
                           "corrupt:rail1_switch.port0:0:2", "down:gpu3.port1@1ms", "down:nic1_2.port0@1ms"});
  REQUIRE(spec.faults.size() == 3);
  CHECK(to_string(spec.faults[0]) == "corrupt:gpu0.port0>server0_switch0.port0:3");
  CHECK(spec.frame_faults == Texts{"drop:nic0_0.port0>rail0_switch.port0:2", "corrupt:rail1_switch.port0>nic0_1.port0:0:2",
                                   "down:nic1_2.port0>rail2_switch.port1@1ms"});
}

// A corrupted packet is repaired on its link. A frame that is lost, or wrong in one of its check sums, is sent again.
TEST_CASE("cluster faults: faults of NVLinks and of frames are repaired in one run", "[cluster]") {
  const Texts nvlinks{"corrupt:gpu0.port0:3", "corrupt:server1_switch2.port4:5", "duplicate:gpu9.port1:1"};
  const Texts frames{"drop:nic0_0.port0:1", "flip:nic0_3.port0:0", "corrupt:rail1_switch.port0:1",
                     "duplicate:nic1_5.port0:0"};
  Texts all = nvlinks;
  all.insert(all.end(), frames.begin(), frames.end());
  for (const char* const algorithm : {"pull_ring", "ring_ring", "pull_netreduce"}) {
    INFO(algorithm);
    const ResultRow clean = run_one(on("cluster:2xh100", algorithm, {})).row;
    const ResultRow links = check_modes(on("cluster:2xh100", algorithm, nvlinks)).front().row;
    CHECK(links.counters.at("link.crc_errors") == 2);
    CHECK(links.counters.at("link.duplicates_dropped") == 1);
    CHECK(links.counters.at("nic.rewinds") == 0);
    CHECK(bytes_of(links, "nic0_0.port0>rail0_switch.port0") == bytes_of(clean, "nic0_0.port0>rail0_switch.port0"));
    const ResultRow both = check_modes(on("cluster:2xh100", algorithm, all)).front().row;
    CHECK(both.counters.at("link.crc_errors") == 2);
    CHECK(both.counters.at("link.duplicates_dropped") == 1);
    CHECK(bytes_of(both, "nic0_0.port0>rail0_switch.port0") > bytes_of(clean, "nic0_0.port0>rail0_switch.port0"));
    CHECK(both.time > clean.time);
  }
}

TEST_CASE("cluster faults: links of accelerators, of spines and of one server have faults", "[cluster]") {
  const std::string sums = "rail0_accelerator.port0";
  const ResultRow clean = run_one(on("cluster:2xh100", "pull_netreduce", {})).row;
  const ResultRow lost = check_modes(on("cluster:2xh100", "pull_netreduce", {"drop:" + sums + ":0"})).front().row;
  CHECK(lost.time > clean.time);
  const Texts spines{"cluster.fabric=leaf_spine", "cluster.racks=2"};
  check_modes(on("cluster:2xh100", "pull_ring", {"drop:spine0.port0:1", "corrupt:gpu8.port3:1"}, spines));
  RunSpec alone = on("cluster:1xh100", "pull_ring", {"corrupt:gpu7.port17:0"});
  alone.jobs.front().ranks = first_gpus(8);
  CHECK(check_modes(alone).front().row.counters.at("link.crc_errors") == 1);
}

TEST_CASE("cluster faults: a dead link of either protocol ends the run with a report that names it", "[cluster][deadlock]") {
  for (const std::string& link :
       {std::string("gpu2.port4>server0_switch0.port11"), std::string("nic1_6.port0>rail6_switch.port1")})
    for (SimulationMode mode : {SimulationMode::windowed, SimulationMode::event}) {
      INFO(link);
      RunSpec spec = on("cluster:2xh100", "pull_ring", {"down:" + link + "@2us"});
      spec.mode = mode;
      const ResultRow row = run_one(spec).row;
      CHECK(row.status == Status::dead_link);
      CHECK_FALSE(row.wrong);
      CHECK_THAT(row.report, Contains("link " + link + " is dead since 2us"));
    }
}

TEST_CASE("cluster faults: what has no faults is refused in one line", "[cluster]") {
  CHECK_THAT(refusal("pull_ring", "drop:nic0_9.port0:1"), Contains("unknown link 'nic0_9.port0'; did you mean nic0_"));
  CHECK_THAT(refusal("pull_ring", "corrupt:gpu16.port0:1"), Contains("unknown link 'gpu16.port0'; did you mean gpu1"));
  CHECK_THAT(refusal("pull_ring", "drop:gpu0.port0:1"), Contains("unknown fault 'drop' (legal: corrupt:LINK:N"));
  CHECK(refusal("pull_ring", "corrupt:gpu0.port18:1") ==
        "link gpu0.port18>nic0_0.port1 is PCIe, whose faults are not modelled (legal: NVLinks and Ethernet links)");
  CHECK_THAT(refusal("pull_ring", "drop:gradient:0:0:1"), Contains("by their place") && Contains("drop:LINK:N"));
  CHECK_THAT(refusal("pull_ring", "drop"), Contains("'drop' is not a fault of a link (legal: corrupt:LINK:N"));
  CHECK(refusal("pull_netreduce", "drop:rail0_accelerator.port0:0") == "");
  CHECK_THAT(refusal("pull_ring", "drop:rail0_accelerator.port0:0"), Contains("unknown link 'rail0_accelerator.port0'"));
}

}  // namespace tributary::test_cluster_faults
