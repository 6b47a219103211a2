/// Determinism: a message yields the same row alone, within a sweep, repeated, and without data; another seed yields
/// another row.
#include <catch2/catch.hpp>

#include "testbench/test/harness/forked_run.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_sweep {
namespace {

const char* const algorithms[] = {"push", "pull", "ring", "multicast"};

/// A machine with much randomness and many overflows, so that a forgotten reset is visible.
RunSpec busy(const std::string& algorithm, const std::vector<Bytes>& sizes) {
  return with_hashes(run_spec(algorithm, {0, 3, 4, 7, 8, 9, 12, 15}, sizes,
                              {"nvswitch.switch.reduction_table.bytes=128B", "nvswitch.switch.reduction_table.timeout=200ns",
                               "nvswitch.gpu.dma.issue_order=shuffled:16", "nvswitch.fabric.hash=random"}));
}

}  // namespace

TEST_CASE("sweep: a size gives the same row alone and within a sweep", "[system][sweep]") {
  const std::vector<Bytes> sizes{64_KiB, 4_B, 20000_B, 64_KiB};
  for (const char* algorithm : algorithms) {
    INFO(algorithm);
    const std::vector<Run> sweep = run_all(busy(algorithm, sizes));
    REQUIRE(sweep.size() == sizes.size());
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      INFO(sizes[i].value << " B");
      CHECK(sweep[i].row.status == Status::done);
      CHECK(difference(run_one(busy(algorithm, {sizes[i]})), sweep[i]) == "");
    }
    CHECK(difference(sweep.front(), sweep.back()) == "");
  }
}

TEST_CASE("sweep: a size gives the same row with the default parameters", "[system][sweep]") {
  for (const char* algorithm : algorithms) {
    INFO(algorithm);
    const auto spec = [&](const std::vector<Bytes>& sizes) {
      return with_hashes(run_spec(algorithm, first_gpus(16), sizes));
    };
    CHECK(difference(run_one(spec({32_KiB})), run_all(spec({128_KiB, 1000_B, 32_KiB})).back()) == "");
  }
}

TEST_CASE("sweep: two runs of a seed are the same, and another seed differs", "[system][sweep]") {
  for (const char* algorithm : algorithms) {
    INFO(algorithm);
    RunSpec spec = busy(algorithm, {20000_B});
    const Run first = run_one(spec);
    CHECK(difference(first, run_one(spec)) == "");
    spec.seed = 2;
    const Run other = run_one(spec);
    CHECK(first.hashes.trajectory != other.hashes.trajectory);
    CHECK(first.row.time != other.row.time);
    CHECK(other.row.wrong == 0);
  }
}

TEST_CASE("sweep: data do not change a picosecond", "[system][sweep]") {
  for (const char* algorithm : algorithms) {
    INFO(algorithm);
    RunSpec spec = busy(algorithm, {20000_B, 1000_B});
    std::vector<Run> exact = run_all(spec);
    const std::vector<Run> none = run_all(without_data(spec));
    spec.data = DataMode::random;
    CHECK(difference(exact, run_all(spec)) == "");
    for (Run& run : exact) {
      CHECK(run.row.wrong == 0);
      run.row.wrong.reset();
    }
    CHECK(difference(exact, none) == "");
  }
}

TEST_CASE("sweep: without jitter the seed does not affect a balanced push", "[system][sweep]") {
  RunSpec spec = with_hashes(run_spec("push", first_gpus(16), {64_KiB}, {"nvswitch.gpu.memory.jitter=0ns"}));
  const Run first = run_one(spec);
  spec.seed = 7;
  CHECK(difference(first, run_one(spec)) == "");
}

}  // namespace tributary::test_sweep
