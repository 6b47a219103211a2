/// The fat tree of 128 GPUs: packets on every link, every element right, both modes agree
/// (docs/systems/klenk.md#fat-tree).
#include <catch2/catch.hpp>

#include "platforms/nvswitch/machine.h"
#include "platforms/nvswitch/placement.h"
#include "testbench/test/harness/forked_run.h"
#include "testbench/test/harness/run_specs.h"
#include "testbench/test/harness/tree_ledger.h"

namespace tributary::test_fat_tree {
namespace {

RunSpec tree_spec(const std::string& algorithm, const std::vector<int>& gpus, const std::vector<Bytes>& sizes,
                  const std::vector<std::string>& settings = {}) {
  RunSpec spec = run_spec(algorithm, gpus, sizes, settings);
  spec.platform = "fat_tree:128";
  return spec;
}

std::vector<int> spread(int n) { return place(machine("fat_tree").graph, n, Placement::spread); }

std::vector<Run> check_right(const RunSpec& spec) {
  INFO(spec.jobs[0].algorithm << " with " << spec.jobs[0].ranks.size() << " ranks up to " << spec.jobs[0].ranks.back());
  std::vector<Run> runs = run_all(spec);
  for (const Run& run : runs) {
    INFO(run.row.size_bytes << " B: " << run.row.report);
    CHECK(run.row.status == Status::done);
    if (spec.data != DataMode::none) CHECK(run.row.wrong == 0);
    CHECK(run.row.algbw_GBps() <= run.row.bound_GBps);
  }
  return runs;
}

double counter(const Run& run, const std::string& name) { return run.row.counters.at(name); }

const std::vector<std::vector<int>> rank_sets{{0, 8, 9, 64, 120, 121}, first_gpus(128)};

/// Bytes on the links between leaves and spines.
std::uint64_t trunk_bytes(const ResultRow& row) {
  std::uint64_t sum = 0;
  for (const LinkUse& link : row.links)
    if (link.name.find("spine") != std::string::npos) sum += link.bytes;
  return sum;
}

}  // namespace

TEST_CASE("fat tree: every link of a push carries the bytes of the arithmetic", "[system][fat_tree]") {
  for (const std::vector<int>& gpus : rank_sets)
    for (const Run& run :
         check_right(tree_spec("push", gpus, {132_B, 20000_B}, {"nvswitch.switch.reduction_table.bytes=16KiB"}))) {
      TreeLedger ledger(gpus);
      ledger.push(run.row.size_bytes);
      CHECK(ledger.difference(run.row) == "");
    }
}

TEST_CASE("fat tree: every link of a pull carries the bytes of the arithmetic, with and without tables on trunks",
          "[system][fat_tree]") {
  for (const std::vector<int>& gpus : rank_sets)
    for (const bool tables : {true, false}) {
      const std::string trunks = tables ? "auto" : "0B";
      const std::vector<std::string> settings{"nvswitch.pull.barrier=false", "nvswitch.switch.reduction_table.bytes=16KiB",
                                              "nvswitch.switch.reduction_table.trunk_bytes=" + trunks};
      for (const Run& run : check_right(tree_spec("pull", gpus, {132_B, 20000_B}, settings))) {
        TreeLedger ledger(gpus);
        ledger.pull(run.row.size_bytes, tables);
        CHECK(ledger.difference(run.row) == "");
        // One completion at the first hop counts all p-1 operands of a block; with trunk tables there are more along
        // the path.
        if (!tables) CHECK(counter(run, "switch.completions") == static_cast<double>((run.row.size_bytes + 127) / 128));
      }
    }
}

TEST_CASE("fat tree: push and pull on 64 and 128 GPUs are right at the paper's sizes", "[system][fat_tree]") {
  for (const char* algorithm : {"push", "pull"})
    for (const std::vector<int>& gpus : {first_gpus(64), spread(64), first_gpus(128)})
      for (const Run& run : check_right(tree_spec(algorithm, gpus, {4_B, 32_KiB}))) {
        CHECK(counter(run, "switch.evictions") == 0);
        CHECK(counter(run, "gpu.partials") == 0);
      }
}

TEST_CASE("fat tree: a ring on 64 GPUs is right", "[system][fat_tree]") {
  check_right(tree_spec("ring", first_gpus(64), {2_KiB}));
}
TEST_CASE("fat tree: a ring on 128 GPUs is right", "[system][fat_tree]") {
  check_right(tree_spec("ring", first_gpus(128), {2_KiB}));
}
TEST_CASE("fat tree: a broadcast on 128 GPUs is right", "[system][fat_tree]") {
  check_right(tree_spec("multicast", first_gpus(128), {20000_B}));
}

TEST_CASE("fat tree: all hashes, small tables and small queues are right", "[system][fat_tree]") {
  const std::vector<std::string> tiny{"nvswitch.switch.input_buffer=144B", "nvswitch.switch.output_queue=144B",
                                      "nvswitch.switch.table_queue=144B",  "nvswitch.switch.replication_buffer.bytes=144B",
                                      "nvswitch.gpu.dma.tx_queue=1",       "nvswitch.switch.reduction_table.bytes=128B"};
  for (const char* hash : {"strided", "xor_folded", "random"}) {
    std::vector<std::string> settings = tiny;
    settings.push_back(std::string("nvswitch.fabric.hash=") + hash);
    check_right(tree_spec("push", first_gpus(128), {20000_B}, settings));
    check_right(tree_spec("pull", spread(48), {20000_B}, settings));
  }
}

TEST_CASE("fat tree: both modes simulate the same", "[system][fat_tree][engines]") {
  for (const char* algorithm : {"push", "pull", "ring"}) {
    INFO(algorithm);
    const RunSpec spec = tree_spec(algorithm, spread(18), {20000_B}, {"nvswitch.switch.reduction_table.bytes=128B"});
    const std::vector<Run> windowed = run_all(with_hashes(spec)), event = run_all(with_hashes(spec, SimulationMode::event));
    CHECK(difference(windowed, event) == "");
    CHECK(windowed.front().hashes.trajectory != 0);
  }
}

TEST_CASE("fat tree: both modes simulate the same on 128 GPUs", "[system][fat_tree][engines]") {
  for (const char* algorithm : {"push", "pull"}) {
    const RunSpec spec = without_data(tree_spec(algorithm, first_gpus(128), {20000_B}));
    CHECK(difference(run_all(with_hashes(spec)), run_all(with_hashes(spec, SimulationMode::event))) == "");
  }
}

TEST_CASE("fat tree: trunks without tables give right sums, and responses of a pull cross them unreduced",
          "[system][fat_tree]") {
  // DGX-2, 16 GPUs: for each block 16 B request, 144 B result and 8 x 16 B acks cross between the boards, and one response
  // of 144 B; without tables on trunks eight of them.
  const std::vector<Bytes> sizes{64_KiB};
  const std::vector<std::string> off{"nvswitch.pull.barrier=false", "nvswitch.switch.reduction_table.trunk_bytes=0B"};
  const Run with = check_right(run_spec("pull", first_gpus(16), sizes, {"nvswitch.pull.barrier=false"})).front();
  const Run without = check_right(run_spec("pull", first_gpus(16), sizes, off)).front();
  const auto between_boards = [](const ResultRow& row) {
    std::uint64_t sum = 0;
    for (const LinkUse& link : row.links)
      if (link.name.find("gpu") == std::string::npos) sum += link.bytes;
    return sum;
  };
  CHECK(between_boards(with.row) == 512 * (16 + 144 + 8 * 16 + 144));
  CHECK(between_boards(without.row) == 512 * (16 + 144 + 8 * 16 + 8 * 144));
  CHECK(counter(without, "switch.completions") == 512);
  CHECK(counter(without, "switch.evictions") == 0);

  // Fat tree, 64 GPUs: 8 x the responses up, 56 x down to the requester's leaf; full tables cost at most the same.
  const auto tree = [](const std::string& bytes) {
    return check_right(tree_spec("pull", first_gpus(64), {32_KiB},
                                 {"nvswitch.pull.barrier=false", "nvswitch.switch.reduction_table.bytes=4KiB",
                                  "nvswitch.switch.reduction_table.trunk_bytes=" + bytes}))
        .front();
  };
  const std::uint64_t full = trunk_bytes(tree("4KiB").row), one = trunk_bytes(tree("128B").row),
                      none = trunk_bytes(tree("0B").row);
  CHECK(none == 256 * ((1 + 7) * (16 + 144) + 2 * 56 * 16 + 2 * 56 * 144));
  CHECK(full == 256 * ((1 + 7) * (16 + 144) + 2 * 56 * 16 + 8 * 144));
  CHECK((full < one && one < none));
}

}  // namespace tributary::test_fat_tree
