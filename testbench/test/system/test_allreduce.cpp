/// Every element of every rank is right, for odd sizes, arbitrary ranks, and machines that exercise all cases of the
/// tables.
#include <catch2/catch.hpp>
#include <cstring>

#include "testbench/test/harness/forked_run.h"
#include "testbench/test/harness/run_specs.h"
#include "testbench/test/harness/session_parts.h"
#include "testbench/workload/reference_data.h"

namespace tributary::test_allreduce {
namespace {

const std::vector<std::vector<int>> rank_sets{{0, 1}, first_gpus(8), {0, 8}, {3, 5, 9}, {7, 8, 15}, first_gpus(16)};
const std::vector<Bytes> sizes{4_B, 8_B, 124_B, 128_B, 132_B, 1000_B, 2_KiB, 100000_B};
const std::vector<Bytes> f16_sizes{2_B, 6_B, 126_B, 128_B, 130_B, 1002_B, 2_KiB, 20002_B};
const char* const algorithms[] = {"push", "pull", "ring", "multicast"};

/// Checks that all messages of `spec` complete with every element right.
std::vector<Run> check_right(const RunSpec& spec) {
  INFO(spec.jobs[0].algorithm << " with " << spec.jobs[0].ranks.size() << " ranks up to " << spec.jobs[0].ranks.back());
  std::vector<Run> runs = run_all(spec);
  for (const Run& run : runs) {
    INFO(run.row.size_bytes << " B: " << run.row.report);
    CHECK(run.row.status == Status::done);
    CHECK(run.row.wrong == 0);
    CHECK(run.row.algbw_GBps() <= run.row.bound_GBps);
  }
  return runs;
}

double counter(const Run& run, const std::string& name) { return run.row.counters.at(name); }

}  // namespace

TEST_CASE("data: all sizes are right on arbitrary ranks", "[system][data]") {
  for (const char* algorithm : algorithms)
    for (const std::vector<int>& gpus : rank_sets) check_right(run_spec(algorithm, gpus, sizes));
}

TEST_CASE("data: any number of ranks is right", "[system][data]") {
  for (const char* algorithm : algorithms)
    for (int n = 2; n <= 16; ++n) check_right(run_spec(algorithm, first_gpus(n), {4_B, 1000_B, 20000_B}));
}

TEST_CASE("data: all element types are right, with exact and random values", "[system][data]") {
  for (const char* algorithm : algorithms)
    for (const ElementType type : {ElementType::f32, ElementType::f16, ElementType::bf16, ElementType::i32})
      for (const DataMode mode : {DataMode::exact, DataMode::random})
        for (const std::vector<int>& gpus : {std::vector<int>{3, 5, 9}, first_gpus(16)}) {
          RunSpec spec =
              run_spec(algorithm, gpus, element_size(type) == 2 ? f16_sizes : std::vector<Bytes>{4_B, 132_B, 20000_B});
          spec.jobs[0].type = type;
          spec.data = mode;
          check_right(spec);
        }
}

TEST_CASE("data: minimum and maximum are right in every element type", "[system][data]") {
  for (const char* algorithm : algorithms)
    for (const ElementType type : {ElementType::f32, ElementType::f16, ElementType::bf16, ElementType::i32})
      for (const ReduceOp op : {ReduceOp::min, ReduceOp::max}) {
        if (std::string(algorithm) == "multicast") continue;
        RunSpec spec = run_spec(algorithm, first_gpus(6), {20000_B});
        spec.jobs[0].type = type;
        spec.jobs[0].op = op;
        check_right(spec);
      }
}

TEST_CASE("data: a broadcast is right from every root", "[system][data]") {
  for (int root = 0; root < 16; ++root) {
    RunSpec spec = run_spec("multicast", first_gpus(16), {132_B, 3000_B});
    spec.jobs[0].root = root;
    check_right(spec);
  }
}

TEST_CASE("data: tables that must evict give right sums", "[system][data]") {
  const std::vector<std::vector<std::string>> machines{
      {"nvswitch.switch.reduction_table.bytes=128B"},
      {"nvswitch.fabric.hash=random"},
      {"nvswitch.gpu.dma.waves=0", "nvswitch.gpu.dma.issue_order=shuffled:4096"},
      {"nvswitch.switch.reduction_table.timeout=50ns"},
      {"nvswitch.switch.reduction_table.bytes=128B", "nvswitch.switch.reduction_table.timeout=50ns",
       "nvswitch.fabric.hash=random", "nvswitch.gpu.dma.waves=0", "nvswitch.gpu.dma.issue_order=shuffled:4096"}};
  for (const std::vector<std::string>& settings : machines)
    for (const DataMode mode : {DataMode::exact, DataMode::random}) {
      INFO(settings.front());
      RunSpec spec = run_spec("push", first_gpus(16), {128_KiB, 100000_B}, settings);
      spec.data = mode;
      for (const Run& run : check_right(spec)) {
        const double evictions = counter(run, "switch.evictions") + counter(run, "switch.timeouts");
        CHECK(evictions > 0);
        // Blocks that a table evicts arrive at their home GPU, and nothing else does.
        CHECK(counter(run, "gpu.partials") >= evictions);
        CHECK(counter(run, "gpu.home_results") > 0);
        // Each block is completed once: in a table, or at its home GPU.
        CHECK(counter(run, "switch.completions") + counter(run, "gpu.home_results") ==
              static_cast<double>((run.row.size_bytes + 127) / 128));
      }
    }
}

TEST_CASE("data: a table that holds every block merges each operand once", "[system][data]") {
  const Run run =
      check_right(run_spec("push", first_gpus(16), {64_KiB}, {"nvswitch.switch.reduction_table.bytes=16KiB"})).front();
  CHECK(counter(run, "switch.allocations") == 512);
  CHECK(counter(run, "switch.completions") == 512);
  CHECK(counter(run, "switch.merges") == 512 * 15);
  CHECK(counter(run, "switch.evictions") == 0);
  CHECK(counter(run, "gpu.partials") == 0);
}

TEST_CASE("data: a pull with one entry per table is right", "[system][data]") {
  // A first hop stalls, an intermediate one is bypassed (docs/systems/klenk.md#pull). No response may be lost, and
  // nothing is evicted.
  for (const char* kind : {"nvswitch.pull.barrier_kind=allreduce", "nvswitch.pull.barrier_kind=flags"})
    for (const Run& run : check_right(
             run_spec("pull", first_gpus(16), {1000_B, 128_KiB}, {"nvswitch.switch.reduction_table.bytes=128B", kind}))) {
      CHECK(counter(run, "switch.evictions") == 0);
      CHECK(counter(run, "gpu.partials") == 0);
      if (run.row.size_bytes == 131072) {
        CHECK(counter(run, "switch.stalls") > 0);
        CHECK(counter(run, "switch.misses") > 0);
      }
    }
}

TEST_CASE("data: small queues give right sums", "[system][data]") {
  const std::vector<std::string> tiny{"nvswitch.switch.input_buffer=144B", "nvswitch.switch.output_queue=144B",
                                      "nvswitch.switch.table_queue=144B",  "nvswitch.switch.replication_buffer.bytes=144B",
                                      "nvswitch.gpu.dma.tx_queue=1",       "nvswitch.switch.reduction_table.bytes=128B"};
  for (const char* algorithm : algorithms)
    for (const std::vector<int>& gpus : rank_sets) check_right(run_spec(algorithm, gpus, {4_B, 20000_B}, tiny));
}

TEST_CASE("data: sums are right without acks", "[system][data]") {
  for (const char* algorithm : algorithms)
    check_right(run_spec(algorithm, first_gpus(16), {4_B, 20000_B}, {"nvswitch.acks=none"}));
}

TEST_CASE("data: the result is the plain sum, and nothing is written beyond it", "[system][data]") {
  // The oracle is plain addition of the ranks' memory before the run, not the checker that every run uses.
  const std::vector<int> gpus{1, 4, 8, 13};
  for (const char* algorithm : {"push", "pull", "ring"}) {
    INFO(algorithm);
    const std::string verdict = in_child([&] {
      Session session(run_spec(algorithm, gpus, {1000_B}));
      std::vector<float> sum(250), operand(250);
      for (int r = 0; r < 4; ++r) {
        workload::fill(operand.data(), 1000, {ElementType::f32, workload::Values::exact, 1}, r);
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += operand[i];
      }
      for (const int g : gpus)
        std::memset(nvswitch_of(session).gpu(static_cast<unsigned>(g)).memory().data() + 1000, 0x5A, 24);
      session.run(0);
      const std::vector<unsigned char> untouched(24, 0x5A);
      for (const int g : gpus) {
        const std::byte* memory = nvswitch_of(session).gpu(static_cast<unsigned>(g)).memory().data();
        if (std::memcmp(memory, sum.data(), 1000) != 0) return "gpu" + std::to_string(g) + " has another sum";
        if (std::memcmp(memory + 1000, untouched.data(), 24) != 0)
          return "gpu" + std::to_string(g) + ": padding was written";
      }
      return std::string("right");
    });
    CHECK(verdict == "right");
  }
}

}  // namespace tributary::test_allreduce
