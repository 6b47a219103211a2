/// Machines of NVSwitches from files: data of every algorithm are right, all links of a GPU carry the same, both modes
/// agree.
#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <string>

#include "testbench/run/family.h"
#include "testbench/test/harness/forked_run.h"
#include "testbench/test/harness/mode_check.h"
#include "testbench/test/harness/run_specs.h"
#include "testbench/test/harness/temporary_folder.h"
#include "testbench/test/harness/topology_texts.h"

namespace tributary::test_file_machines {
namespace {

RunSpec on(const std::string& file, RunSpec spec) {
  spec.platform = "file:" + shipped_path(file);
  return spec;
}

void check_right(const Run& run) {
  INFO(run.row.size_bytes << " B: " << run.row.report);
  CHECK(run.row.status == Status::done);
  CHECK(run.row.wrong == 0);
  CHECK(run.row.algbw_GBps() <= run.row.bound_GBps);
}

/// Least and most bytes on the links of one GPU in one direction.
std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> bytes_by_gpu(const ResultRow& row) {
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> all;
  for (const LinkUse& link : row.links) {
    const std::size_t to = link.name.find('>') + 1;
    for (const auto& [end, route] : {std::pair(std::size_t{0}, " out"), std::pair(to, " in")}) {
      const std::string device = link.name.substr(end, link.name.find('.', end) - end);
      if (device.rfind("gpu", 0) != 0) continue;
      auto& [least, most] = all.emplace(device + route, std::pair(link.bytes, link.bytes)).first->second;
      least = std::min(least, link.bytes), most = std::max(most, link.bytes);
    }
  }
  return all;
}

}  // namespace

TEST_CASE("file machines: every algorithm runs on an H100", "[system][file_machines]") {
  for (const Algorithm& algorithm : family_of("dgx2").algorithms()) {
    if (algorithm.name == "hdrm") continue;  // needs two switches
    INFO(algorithm.collective << " by " << algorithm.name);
    check_right(run_one(on("h100.xml", collective_spec(algorithm.collective, algorithm.name, first_gpus(8),
                                                       {algorithm.collective == "barrier" ? 4_B : 20000_B}))));
  }
}

TEST_CASE("file machines: every algorithm runs on a DGX-2 in the format of nvidia-smi", "[system][file_machines]") {
  for (const Algorithm& algorithm : family_of("dgx2").algorithms()) {
    if (algorithm.name == "hdrm") continue;  // needs two switches
    INFO(algorithm.collective << " by " << algorithm.name);
    std::vector<std::string> settings;
    if (algorithm.name == "nccl" && (algorithm.collective == "alltoall" || algorithm.collective == "sendrecv"))
      settings = {"nvswitch.nccl.version=2.21"};  // NCCL 2.4 has neither
    check_right(run_one(on("dgx2.txt", collective_spec(algorithm.collective, algorithm.name, first_gpus(16),
                                                       {algorithm.collective == "barrier" ? 4_B : 20000_B}, settings))));
  }
}

TEST_CASE("file machines: a DGX-2 in the format of NCCL equals the DGX-2 to the picosecond", "[system][file_machines]") {
  for (const char* algorithm : {"push", "pull", "ring", "hdrm", "multitree"}) {
    const RunSpec built_in = run_spec(algorithm, first_gpus(16), {100'000_B});
    const Run run = run_one(on("dgx2.xml", built_in));
    INFO(algorithm);
    check_right(run);
    CHECK(run.row.time == run_one(built_in).row.time);
  }
}

TEST_CASE("file machines: switches of 72 ports reduce, replicate and forward beyond port 63", "[system][file_machines]") {
  const std::vector<int> mixed{0, 5, 63, 64, 71};
  for (const char* algorithm : {"push", "pull", "nvls", "ring", "nccl"}) {
    INFO(algorithm);
    RunSpec spec = collective_spec("allreduce", algorithm, mixed, {1000_B, 50'000_B});
    spec.platform = "nvl72";
    check_modes(with_hashes(spec));
  }
}

TEST_CASE("file machines: the platforms a100 and h100 equal their files to the picosecond", "[system][file_machines]") {
  for (const char* name : {"a100", "h100"})
    for (const char* algorithm : {"push", "pull", "ring"}) {
      INFO(name << " by " << algorithm);
      const RunSpec of_file = on(std::string(name) + ".xml", run_spec(algorithm, first_gpus(8), {100'000_B}));
      RunSpec built_in = of_file;
      built_in.platform = name;
      const Run run = run_one(built_in);
      check_right(run);
      CHECK(run.row.time == run_one(of_file).row.time);
    }
}

TEST_CASE("file machines: the tree of a cloud's H100 with added NVLinks equals the H100", "[system][file_machines]") {
  const TemporaryFolder folder;
  std::string tree = shipped_topology("h100.xml");
  for (std::size_t at; (at = tree.find("<nvlink")) != std::string::npos;) tree.erase(at, tree.find("/>", at) + 2 - at);
  std::ofstream(folder.file("tree.xml")) << tree;
  RunSpec filled = run_spec("push", first_gpus(8), {100'000_B});
  filled.platform = "file:" + folder.file("tree.xml") + "+fill_nvlink:hgx-h100";
  const Run run = run_one(filled);
  check_right(run);
  CHECK(run.row.time == run_one(on("h100.xml", run_spec("push", first_gpus(8), {100'000_B}))).row.time);
}

TEST_CASE("file machines: the links of an H100's GPUs carry the same within 1 %", "[system][file_machines]") {
  for (const char* algorithm : {"push", "pull", "ring"}) {
    const Run run = run_one(on("h100.xml", run_spec(algorithm, first_gpus(8), {1_MiB})));
    check_right(run);
    const auto bytes = bytes_by_gpu(run.row);
    CHECK(bytes.size() == 16);
    for (const auto& [gpu, range] : bytes) {
      INFO(algorithm << ": " << gpu << ", " << range.first << " to " << range.second << " B");
      CHECK(static_cast<double>(range.second - range.first) <= 0.01 * static_cast<double>(range.first));
    }
  }
}

TEST_CASE("file machines: a push on an H100 puts each operand and each sum on one link", "[system][file_machines]") {
  const Run run = run_one(on("h100.xml", run_spec("push", first_gpus(8), {1_MiB}, {"nvswitch.acks=none"})));
  check_right(run);
  std::uint64_t up = 0, down = 0;
  for (const LinkUse& link : run.row.links) (link.name.rfind("gpu", 0) == 0 ? up : down) += link.bytes;
  const std::uint64_t blocks = (1u << 20) / 128;
  const auto evicted = static_cast<std::uint64_t>(run.row.counters.at("gpu.partials"));
  CHECK(up >= 8 * blocks * 144);
  CHECK(up <= 8 * blocks * 144 + evicted * 144);
  CHECK(down >= 8 * blocks * 144 - evicted * 144);
}

TEST_CASE("file machines: an A100, two boards and a fat tree of 32 reduce right", "[system][file_machines]") {
  const std::map<std::string, int> gpus{{"a100.xml", 8}, {"two_boards.xml", 16}, {"fat_tree32.xml", 32}};
  for (const auto& [file, count] : gpus)
    for (const char* algorithm : {"push", "pull", "ring", "double_binary_tree"}) {
      INFO(file << " by " << algorithm);
      check_right(run_one(on(file, run_spec(algorithm, first_gpus(count), {100'000_B}))));
    }
}

TEST_CASE("file machines: merged acks and other hashes give right data", "[system][file_machines]") {
  for (const char* setting : {"nvswitch.acks=merged", "nvswitch.fabric.hash=random", "nvswitch.fabric.hash=xor_folded",
                              "nvswitch.fabric.hash=strided"})
    for (const char* algorithm : {"push", "pull"}) {
      INFO(algorithm << " with " << setting);
      check_right(run_one(on("fat_tree32.xml", run_spec(algorithm, first_gpus(32), {40'000_B}, {setting}))));
      check_right(run_one(on("h100.xml", run_spec(algorithm, first_gpus(8), {40'000_B}, {setting}))));
    }
}

TEST_CASE("file machines: both modes give the same picoseconds", "[system][file_machines]") {
  for (const char* file : {"h100.xml", "fat_tree32.xml"})
    for (const char* algorithm : {"push", "pull", "ring"}) {
      const RunSpec spec = on(file, run_spec(algorithm, first_gpus(8), {100'000_B}));
      INFO(file << " by " << algorithm);
      CHECK(difference(run_one(with_hashes(spec)), run_one(with_hashes(spec, SimulationMode::event))) == "");
    }
}

TEST_CASE("file machines: MultiTree, rings and all-to-all run on a network of BookSim", "[system][file_machines]") {
  const std::vector<std::string> tables;  // tables of files have the rows that they need: 9 nodes on one link need 24
  for (const char* algorithm : {"multitree", "ring", "double_binary_tree"}) {
    INFO(algorithm);
    check_right(run_one(on("three_routers.anynet", run_spec(algorithm, first_gpus(9), {20'000_B}, tables))));
  }
  check_right(
      run_one(on("three_routers.anynet", collective_spec("alltoall", "multitree", first_gpus(9), {20'000_B}, tables))));
  const RunSpec spec = on("three_routers.anynet", run_spec("multitree", first_gpus(9), {20'000_B}, tables));
  CHECK(difference(run_one(with_hashes(spec)), run_one(with_hashes(spec, SimulationMode::event))) == "");
}

TEST_CASE("file machines: rings of routers and a torus of routers run without a deadlock", "[system][file_machines]") {
  const TemporaryFolder folder;
  const auto ring = [&](const std::string& file, int routers) {
    std::ofstream text(folder.file(file));
    for (int r = 0; r < routers; ++r)
      text << "router " << r << " node " << 2 * r << " node " << 2 * r + 1 << " router " << (r + 1) % routers << "\n";
  };
  const auto torus = [&](const std::string& file, int side) {
    std::ofstream text(folder.file(file));
    for (int r = 0; r < side * side; ++r)
      text << "router " << r << " node " << r << " router " << r / side * side + (r + 1) % side << " router "
           << (r + side) % (side * side) << "\n";
  };
  ring("ring5", 5), ring("ring6", 6), torus("torus3", 3), torus("torus4", 4);  // ordered channels, up and down, each twice
  for (const auto& [file, nodes] : {std::pair("ring5", 10), {"ring6", 12}, {"torus3", 9}, {"torus4", 16}})
    for (const char* collective : {"allreduce", "alltoall"})
      for (const char* algorithm : {"multitree", "ring"}) {
        if (std::string(collective) == "alltoall" && std::string(algorithm) == "ring") continue;
        RunSpec spec = collective_spec(collective, algorithm, first_gpus(nodes), {200'000_B});
        spec.platform = "file:" + folder.file(file);
        INFO(file << ", " << collective << " by " << algorithm);
        check_right(run_one(spec));
      }
}

TEST_CASE("file machines: a link of BookSim's network has the latency of its cycles", "[system][file_machines]") {
  const auto barrier = [](const std::string& name) {  // from node 0 to node 8 and back, over routers 0 and 2
    return run_one(on(name, run_spec("ring", {0, 8}, {4_B}))).row;
  };
  const ResultRow near = barrier("three_routers.anynet");
  RunSpec far = run_spec("ring", {3, 8}, {4_B});  // routers 1 and 2, 4 cycles apart
  const ResultRow there = run_one(on("three_routers.anynet", far)).row;
  CHECK(near.status == Status::done);
  CHECK(there.time - near.time == 2 * 3 * 150'000);  // two steps, each 3 cycles of 150 ns longer
}

}  // namespace tributary::test_file_machines
