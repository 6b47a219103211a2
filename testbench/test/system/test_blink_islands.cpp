/// GPUs that NVLinks join in part: right data, both modes agree, NVLinks and PCIe both carry data
/// (docs/systems/blink.md#islands).
#include <catch2/catch.hpp>

#include "testbench/family/blink/algorithms.h"
#include "testbench/test/harness/mode_check.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_blink_islands {
namespace {

RunSpec spec_of(const std::string& file, const std::string& collective, const std::string& algorithm,
                const std::vector<int>& gpus, const std::vector<Bytes>& sizes) {
  RunSpec spec = collective_spec(collective, algorithm, gpus, sizes, {"blink.chunk=16KiB"});
  spec.platform = "file:" TRIBUTARY_SOURCE_DIR "/testbench/test/system/topologies/" + file;
  return spec;
}

}  // namespace

TEST_CASE("blink on islands: every collective is right in both modes", "[system][blink]") {
  for (const TreeAlgorithm& m : tree_algorithms())
    for (const std::vector<int>& gpus : {std::vector<int>{0, 1, 2, 3, 4, 5}, {4, 0, 5}}) {
      INFO(m.algorithm.collective << " by " << m.algorithm.name << " of " << gpus.size() << " GPUs");
      check_modes(spec_of("summit.txt", m.algorithm.collective, m.algorithm.name, gpus, {4_B, 1000_B, 100_KiB}));
    }
}

TEST_CASE("blink on islands: islands of NVSwitches, and GPUs without NVLinks, are right in both modes", "[system][blink]") {
  for (const auto& [file, gpus] : {std::pair("tray.xml", std::vector<int>{0, 1, 2, 3}),
                                   {"one_without_links.txt", {2, 7, 5, 0}},
                                   {"one_with_17_links.txt", {7, 0, 3}},
                                   {"three_cards.txt", {0, 1, 2}},
                                   {"pairs_across.txt", {0, 1, 2, 3, 4, 5, 6, 7}}})
    for (const char* algorithm : {"blink", "nccl"}) {
      INFO(file << " by " << algorithm);
      check_modes(spec_of(file, "allreduce", algorithm, gpus, {1000_B, 100_KiB}));
    }
}

TEST_CASE("blink on islands: a server with islands and a joined one are right in both modes", "[system][blink]") {
  for (const TreeAlgorithm& m : tree_algorithms()) {
    if (m.hybrid) continue;  // needs one server
    INFO(m.algorithm.collective << " by " << m.algorithm.name);
    RunSpec spec = collective_spec(m.algorithm.collective, m.algorithm.name, {6, 1, 3, 4, 8, 9, 15}, {1000_B, 100_KiB},
                                   {"blink.chunk=16KiB"});
    spec.platform = "servers:2xdgx1v";
    check_modes(spec);
  }
}

// The message crosses the link between the sockets once, and the other four GPUs receive it over NVLinks.
TEST_CASE("blink on islands: each island receives the message over PCIe once", "[system][blink]") {
  const Run run = run_one(spec_of("summit.txt", "broadcast", "blink", {0, 1, 2, 3, 4, 5}, {1_MiB}));
  CHECK(run.row.status == Status::done);
  CHECK(run.row.counters.at("copied.pcie_bytes") == 1 << 20);
  CHECK(run.row.counters.at("copied.nvlink_bytes") == 4 << 20);
}

}  // namespace tributary::test_blink_islands
