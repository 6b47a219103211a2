/// The baseline on whole machines: data right for all collectives, both modes agree, rates of rings, reports of waits.
#include <catch2/catch.hpp>

#include "testbench/family/blink/channel_algorithms.h"
#include "testbench/test/harness/mode_check.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_nccl_system {

using Catch::Matchers::Contains;

namespace {

RunSpec nccl(const std::string& collective, const std::vector<int>& gpus, const std::vector<Bytes>& sizes,
             const std::vector<std::string>& settings = {}, const std::string& platform = "dgx1v") {
  RunSpec spec = collective_spec(collective, "nccl", gpus, sizes, settings);
  spec.platform = platform;
  return spec;
}

/// Three GPUs with a ring, four without one, and all eight.
const std::vector<std::vector<int>> rank_sets{{0, 1, 3}, {6, 1, 4, 5}, first_gpus(8), {2, 3}};

double GBps(const RunSpec& spec) { return run_one(without_data(spec)).row.algbw_GBps(); }

}  // namespace

TEST_CASE("nccl: every collective leaves the right data at the same times in both modes", "[system][nccl]") {
  for (const Algorithm& m : channel_algorithms())
    for (const std::vector<int>& gpus : rank_sets) {
      INFO(m.collective << ", " << gpus.size() << " GPUs");
      check_modes(with_hashes(nccl(m.collective, gpus, {4_B, 1000_B, 20000_B, 300000_B}, {"blink.nccl.slot=4KiB"})));
    }
}

TEST_CASE("nccl: all element types and operations are right", "[system][nccl]") {
  for (const ElementType type : {ElementType::f16, ElementType::bf16, ElementType::i32})
    for (const ReduceOp op : {ReduceOp::sum, ReduceOp::max}) {
      RunSpec spec = nccl("allreduce", {0, 1, 2, 3}, {50000_B}, {"blink.nccl.slot=2KiB"}, "dgx1p");
      spec.jobs[0].type = type, spec.jobs[0].op = op;
      CHECK(run_one(spec).row.status == Status::done);
    }
}

TEST_CASE("nccl: the rate on both machines is the number of rings times the rate of a channel", "[system][nccl]") {
  // within 4 percent: base, hops and the filling of the ring are a part of the time of 200 MB
  CHECK(GBps(nccl("broadcast", {0, 1, 3}, {bytes(200'000'000)})) == Approx(2 * 20).epsilon(0.04));
  CHECK(GBps(nccl("broadcast", {0, 1, 3}, {bytes(200'000'000)}, {}, "dgx1p")) == Approx(2 * 18).epsilon(0.04));
  CHECK(GBps(nccl("allreduce", first_gpus(8), {bytes(200'000'000)})) == Approx(6 * 20 * 8 / 14.0).epsilon(0.04));
  CHECK(GBps(nccl("allreduce", first_gpus(8), {bytes(200'000'000)}, {}, "dgx1p")) ==
        Approx(4 * 18 * 8 / 14.0).epsilon(0.04));
}

TEST_CASE("nccl: a size has the same time alone and within a sweep with small messages", "[system][nccl]") {
  const std::vector<Bytes> sizes{4_B, 12_KiB, 100_KiB, 5_MiB};
  const std::vector<Run> sweep = run_all(nccl("allreduce", {0, 1, 3}, sizes));
  for (std::size_t i = 0; i < sizes.size(); ++i)
    CHECK(run_one(nccl("allreduce", {0, 1, 3}, {sizes[i]})).row.time == sweep[i].row.time);
  // 2N - 2 hops of a few bytes at a quarter of the rate
  CHECK(sweep[0].row.time >= 3'600'000 + 4 * 470'000);
  CHECK(sweep[0].row.time < 3'600'000 + 4 * 600'000);
}

TEST_CASE("nccl: without a ring the link between processors sets the rate", "[system][nccl]") {
  const auto rate = [](const std::string& socket) {
    return GBps(nccl("broadcast", {1, 4, 5, 6}, {bytes(40'000'000)}, {"blink.pcie.socket_rate=" + socket}));
  };
  CHECK(rate("6GB/s") == Approx(6).epsilon(0.05));
  CHECK(rate("3GB/s") == Approx(3).epsilon(0.05));
}

TEST_CASE("nccl: a simple ring uses NVLinks, and host memory between sockets", "[system][nccl]") {
  const std::vector<int> gpus{1, 6, 4, 5};  // GPUs 1 and 6 are on two sockets and have no NVLink, all other hops have one
  const std::string simple = "blink.nccl.fallback=simple";
  for (const Algorithm& m : channel_algorithms()) {
    INFO(m.collective);
    check_modes(with_hashes(nccl(m.collective, gpus, {4_B, 1000_B, 300000_B}, {simple, "blink.nccl.slot=4KiB"})));
  }
  const auto rate = [&](int root, const std::string& setting) {
    RunSpec spec = nccl("broadcast", gpus, {bytes(40'000'000)}, {simple, setting});
    spec.jobs.front().root = root;
    return GBps(spec);
  };
  CHECK(rate(0, "blink.pcie.socket_rate=6GB/s") == Approx(6).epsilon(0.05));
  CHECK(rate(0, "blink.pcie.socket_rate=3GB/s") == Approx(3).epsilon(0.05));
  CHECK(rate(0, "blink.nccl.host_rate=4GB/s") == Approx(4).epsilon(0.06));
  // From GPU 6 the chain ends before the hop through host memory. Three slices fill it.
  CHECK(rate(1, "blink.pcie.socket_rate=3GB/s") == Approx(20 * 40 / (40 + 2 * 0.52)).epsilon(0.04));
}

TEST_CASE("nccl: slots that would make too many slices are refused", "[system][nccl]") {
  CHECK_THROWS_WITH(
      run_one(nccl("broadcast", {0, 1}, {bytes(100'000'000)}, {"blink.nccl.slot=128B"})),
      Contains("blink.nccl.slot: 128B cut 100MB into more than 200000 slices (legal: a slot of at least 512B)"));
  CHECK_THROWS_WITH(nccl("broadcast", {0, 1}, {4_B}, {"blink.nccl.slots=6"}), Contains("blink.nccl.slots"));
}

TEST_CASE("nccl: one ring through two servers has the rate of a NIC", "[system][nccl]") {
  const std::string two = "servers:2xdgx1v";
  CHECK(GBps(nccl("broadcast", {0, 1, 2, 8, 9, 10}, {bytes(80'000'000)}, {}, two)) == Approx(5).epsilon(0.05));  // 40 Gb/s
  check_modes(with_hashes(nccl("allreduce", {0, 1, 2, 8, 9, 12}, {300000_B}, {}, two)));
}

TEST_CASE("nccl: the resource that a ring waits for is named", "[system][nccl]") {
  RunSpec spec = nccl("allreduce", {0, 1, 2, 3}, {1_MiB});
  spec.jobs[0].withheld_rank = 1;
  const ResultRow row = run_one(spec).row;
  CHECK(row.status == Status::no_progress);
  CHECK_THAT(row.report, Contains("channel0: step 3 of") && Contains("waits for data from GPU 1"));
}

}  // namespace tributary::test_nccl_system
