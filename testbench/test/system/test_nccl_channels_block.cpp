// Channels of NCCL in GPUs on wires: times by hand, rates of rings, the order of slots.
#include <catch2/catch.hpp>

#include <cstring>

#include "platforms/blink/blink_platform.h"
#include "testbench/codegen/channel_lowering.h"
#include "testbench/family/blink/channel_rings.h"
#include "testbench/harness/finish_times.h"

namespace tributary::test_nccl_channels_block {
namespace {

constexpr Tick t0 = 10'000'000, us = 1'000'000;
constexpr Tick wire = 21'280;  // a semaphore: 2 flits at 25 GB/s, 20 ns
constexpr std::uint64_t slot = 512 << 10;
constexpr Tick slice = 26'214'400;  // a slot at 20 GB/s
constexpr Tick base = 8'400'000, hop = 3'400'000;

/// GPUs in a row, each with the given number of NVLinks to the next, below one PCIe switch.
topology::Server row(int gpus, int links) {
  topology::Server s;
  s.name = "row";
  const auto n = static_cast<std::size_t>(gpus);
  s.links.assign(n, std::vector<int>(n, 0));
  for (std::size_t i = 0; i + 1 < n; ++i) s.links[i][i + 1] = s.links[i + 1][i] = links;
  s.pcie = {{-1}, {0}};
  s.gpu_on.assign(n, 1);
  return s;
}

class Bench {
 public:
  BlinkPlatformParams params = {};
  bool with_data = false, windowed = true;
  std::optional<Tick> delay = {};
  FinishTimes finished;
  std::unique_ptr<BlinkPlatform> system;

  Bench() {
    params.gpu.copy.engines = 6;
    params.gpu.nvlink.rate = 25_GBps;
    params.gpu.kernel.rate = 260_GBps;
    params.nccl.link_rate = params.nccl.reduce_rate = 20_GBps;
  }
  /// A ring program on the server's first GPUs. Rank r's element i is r + i.
  Tick run(const topology::Server& server, JobSpec job, std::uint64_t size) {
    job.algorithm = "nccl";
    system = std::make_unique<BlinkPlatform>("server", topology::ServerGraph("server", server, 1),
                                             BlinkPlatform::Config{params, with_data, windowed, {}, delay}, finished);
    const ChannelPlan plan = lower_channels(job, bytes(size), channel_rings(server, job.ranks, 1).rings, params.nccl);
    for (std::size_t r = 0; r < job.ranks.size(); ++r) {
      const auto gpu = static_cast<unsigned>(job.ranks[r]);
      if (with_data) system->resize_memory(gpu, plan.memory_bytes);
      for (std::uint32_t i = 0; with_data && i < size / 4; ++i) {
        const std::uint32_t value = static_cast<std::uint32_t>(r) + i;
        std::memcpy(system->memory_of(gpu) + 4 * i, &value, 4);
      }
      system->gpu(gpu).post(plan.programs[r], t0);
    }
    sc_core::sc_start();
    CHECK(finished.count() == job.ranks.size());
    CHECK(system->waiting().empty());
    return finished.last() - t0;
  }
  std::uint32_t element(unsigned gpu, std::size_t i) {
    std::uint32_t value;
    std::memcpy(&value, system->memory_of(gpu) + 4 * i, 4);
    return value;
  }
};

JobSpec job_of(const char* collective, std::vector<int> ranks) {
  JobSpec job;
  job.collective = collective, job.ranks = std::move(ranks), job.type = ElementType::i32;
  return job;
}

}  // namespace

TEST_CASE("NCCL channels: a broadcast of three slots over one link takes its time by hand", "[block][nccl]") {
  Bench bench;
  // three slices leave back to back; the last one has arrived, is visible after a hop, and takes the
  // time of one more slice
  CHECK(bench.run(row(2, 1), job_of("broadcast", {0, 1}), 3 * slot) == base + 3 * slice + wire + hop + slice);
  CHECK(bench.finished.when(0) == t0 + base + 3 * slice);
}

TEST_CASE("NCCL channels: bursts of one packet, events and less lookahead give the same times", "[block][nccl]") {
  Bench bench;
  bench.params.gpu.copy.burst = 1;
  bench.windowed = false;
  bench.delay = 100'000;
  CHECK(bench.run(row(2, 1), job_of("broadcast", {0, 1}), 3 * slot) == base + 3 * slice + wire + hop + slice);
}

TEST_CASE("NCCL channels: an all-reduce of two GPUs hides its hops during the second slice of a chunk", "[block][nccl]") {
  Bench bench;
  bench.with_data = true;
  // chunks of two slices: send, then add and forward, ready while the other slice is in flight; later slices are stored
  // in place
  CHECK(bench.run(row(2, 1), job_of("allreduce", {0, 1}), 4 * slot) == base + 4 * slice + wire + hop);
  for (const std::size_t i : {std::size_t{0}, std::size_t{1000}, std::size_t{4 * slot / 4 - 1}})
    for (const unsigned gpu : {0u, 1u}) CHECK(bench.element(gpu, i) == 2 * i + 1);
}

TEST_CASE("NCCL channels: steps that add run at reduce_rate", "[block][nccl]") {
  Bench bench;
  bench.params.nccl.reduce_rate = 10_GBps;
  CHECK(bench.run(row(2, 1), job_of("allreduce", {0, 1}), 4 * slot) == base + 2 * slice + 2 * (2 * slice) + wire + hop);
}

TEST_CASE("NCCL channels: a small message passes on in lines whose flags are visible soon", "[block][nccl]") {
  Bench bench;
  bench.delay = 470'000;
  // 4000 B at a quarter of 20 GB/s: 800 ns; the first line of 2048 B has arrived after 409.6 ns
  CHECK(bench.run(row(2, 1), job_of("broadcast", {0, 1}), 4000) == 3'600'000 + 409'600 + wire + 470'000 + 800'000);
}

TEST_CASE("NCCL channels: a sender waits for a free slot", "[block][nccl]") {
  Bench bench;
  bench.params.nccl.slots = 4;
  bench.params.nccl.slot = bytes(20480);  // 1.024 us at 20 GB/s: four fit into a hop
  const Tick t = 1'024'000;
  // Slice k = 4, 5 ... waits for slice k - 4: it is sent, arrives after wire + hop, and is processed. Its slot is visible
  // as free 1 us after its semaphore has arrived.
  const Tick round = t + wire + hop + t + wire + us;
  CHECK(bench.run(row(2, 1), job_of("broadcast", {0, 1}), 8 * 20480) == base + round + 4 * t + wire + hop + t);
}

TEST_CASE("NCCL channels: a channel over two bonded links is no faster than over one", "[block][nccl]") {
  Bench bench;
  // two rings, one for each link: half of each slice uses either link, and both rings share both links
  const Tick time = bench.run(row(2, 2), job_of("broadcast", {0, 1}), 2 * 8 * slot);
  const Tick alone = base + 8 * slice + wire + hop + slice;
  CHECK(time >= alone);
  CHECK(time < alone + 9 * 500'000);  // bursts in turn: a slice ends at most some bursts later
}

TEST_CASE("NCCL channels: rings of NVLinks broadcast at their number times the rate of a channel", "[block][nccl]") {
  Bench bench;
  const std::uint64_t size = 6 * 64 * slot;
  const Tick time = bench.run(topology::server("dgx1v"), job_of("broadcast", {0, 1, 2, 3, 4, 5, 6, 7}), size);
  const Tick ideal = base + 64 * slice + 7 * (wire + hop + slice);
  CHECK(time >= ideal);
  CHECK(static_cast<double>(time) < 1.01 * static_cast<double>(ideal));
}

TEST_CASE("NCCL channels: rings of NVLinks all-reduce at N / 2(N - 1) of the broadcast rate", "[block][nccl]") {
  Bench bench;
  const std::uint64_t size = 6 * 8 * 16 * slot;  // chunks of 2 MiB, 4 loops
  const Tick time = bench.run(topology::server("dgx1v"), job_of("allreduce", {0, 1, 2, 3, 4, 5, 6, 7}), size);
  const Tick ideal = base + 4 * 14 * 4 * slice + wire + hop;  // each rank sends 14 chunks a loop
  CHECK(time >= ideal);
  CHECK(static_cast<double>(time) < 1.01 * static_cast<double>(ideal));
}

TEST_CASE("NCCL channels: a ring over PCIe has the rate of the link between processors", "[block][nccl]") {
  Bench bench;
  const std::uint64_t size = 64 * slot;
  const Tick time = bench.run(topology::server("dgx1v"), job_of("broadcast", {1, 4, 5, 6}), size);
  const double rate = static_cast<double>(size) / (static_cast<double>(time) * 1e-12) * 1e-9;
  CHECK(rate < 6);
  CHECK(rate > 6 * 0.9);
}

TEST_CASE("NCCL channels: slots that are reused often leave the right sums", "[block][nccl]") {
  Bench bench;
  bench.with_data = true;
  bench.params.nccl.slot = bytes(1024);
  const std::uint64_t size = 4 * 20000;
  bench.run(topology::server("dgx1p"), job_of("allreduce", {0, 1, 4, 5}), size);
  for (std::size_t i = 0; i < size / 4; ++i)
    for (const unsigned gpu : {0u, 1u, 4u, 5u})
      if (bench.element(gpu, i) != 4 * i + 6) FAIL("GPU " << gpu << ", element " << i);
}

}  // namespace tributary::test_nccl_channels_block
