// The baseline's collectives as steps of channels: proofs, division into chunks as in NCCL, and rejected channels.
#include <catch2/catch.hpp>

#include <numeric>

#include "platforms/topology/allocation.h"
#include "testbench/codegen/channel_collectives.h"
#include "testbench/codegen/channel_lowering.h"
#include "testbench/codegen/channel_proof.h"
#include "testbench/collective/schedule/schedule.h"
#include "testbench/family/blink/channel_rings.h"

namespace tributary::test_channel_lowering {

using collective::ScheduleError;

namespace {

JobSpec job_of(const std::string& collective, std::vector<int> gpus, int root = 0) {
  JobSpec job;
  job.collective = collective, job.algorithm = "nccl", job.ranks = std::move(gpus), job.root = root;
  return job;
}

std::vector<int> first(int n) {
  std::vector<int> gpus(static_cast<std::size_t>(n));
  std::iota(gpus.begin(), gpus.end(), 0);
  return gpus;
}

ChannelPlan plan_of(const JobSpec& job, std::uint64_t size, const char* server = "dgx1v", const NcclParams& params = {}) {
  return lower_channels(job, bytes(size), channel_rings(topology::server(server), job.ranks), params);
}

/// Returns the bytes that each rank sends.
std::vector<std::uint64_t> sent(const ChannelPlan& plan) {
  std::vector<std::uint64_t> all;
  for (const StreamProgram& p : plan.programs) {
    all.push_back(0);
    for (const ChannelStep& s : p.steps)
      if (s.peer != ChannelStep::none) all.back() += s.bytes;
  }
  return all;
}

constexpr std::uint64_t MB = 1'000'000;

}  // namespace

TEST_CASE("rings of NVLinks are channels in both directions, else one ring over PCIe crosses each uplink once", "[pure]") {
  const topology::Server v = topology::server("dgx1v");
  CHECK(channel_rings(v, first(8)).size() == 6);
  CHECK(channel_rings(topology::server("dgx1p"), first(8)).size() == 4);
  CHECK(channel_rings(v, {0, 3}).size() == 2);  // a pair with two links
  CHECK(channel_rings(v, {5}).empty());

  const std::vector<ChannelRing> none = channel_rings(v, {1, 6, 4, 5});  // no ring [P 5.2]
  REQUIRE(none.size() == 1);
  CHECK(none[0].hops == std::vector<CopyPath>(4, CopyPath::pcie));
  CHECK(none[0].ranks == std::vector<int>{0, 2, 3, 1});  // GPUs 1 | 4, 5 | 6
}

TEST_CASE("one ring passes through several servers, over NVLinks where a path covers all GPUs of a server", "[pure]") {
  const topology::Server v = topology::server("dgx1v");
  const std::vector<int> gpus{0, 1, 4, 8, 9, 12, 13};  // path 1-0-4; {0, 1, 4, 5} on the second server
  const std::vector<ChannelRing> rings = channel_rings(v, gpus);
  REQUIRE(rings.size() == 1);
  REQUIRE(rings[0].ranks.size() == 7);
  for (std::size_t i = 0; i < 7; ++i) {
    const int a = gpus[static_cast<std::size_t>(rings[0].ranks[i])];
    const int b = gpus[static_cast<std::size_t>(rings[0].ranks[(i + 1) % 7])];
    const bool together = a / 8 == b / 8;
    CHECK(rings[0].hops[i] == (together ? CopyPath::nvlink : CopyPath::network));
    if (together) CHECK(v.between(a % 8, b % 8) > 0);
  }
  CHECK(channel_rings(v, {1, 4, 8, 9})[0].hops ==
        std::vector<CopyPath>{CopyPath::pcie, CopyPath::network, CopyPath::nvlink, CopyPath::network});
  for (const ChannelCollective& m : channel_collectives()) CHECK_NOTHROW(plan_of(job_of(m.collective, gpus, 4), 3 * MB));
}

TEST_CASE("collectives by channels are proved for all sets of GPUs and various sizes", "[pure]") {
  NcclParams small;
  small.slot = 512_B;  // slots are reused many times
  for (const char* server : {"dgx1p", "dgx1v"})
    for (const topology::AllocationClass& c : topology::allocation_classes(topology::server(server), 2, 8, true))
      for (const ChannelCollective& m : channel_collectives())
        for (const std::uint64_t size : {4, 128, 1000, 40000}) {
          INFO(server << ", " << c.first.gpus.size() << " GPUs, " << m.collective << ", " << size << " B");
          const int last = static_cast<int>(c.first.gpus.size()) - 1;
          CHECK_NOTHROW(plan_of(job_of(m.collective, c.first.gpus, size == 1000 ? last : 0), size, server, small));
        }
}

TEST_CASE("a single GPU has no steps", "[pure]") {
  const ChannelPlan plan = plan_of(job_of("allreduce", {3}), MB);
  REQUIRE(plan.programs.size() == 1);
  CHECK(plan.programs[0].steps.empty());
}

TEST_CASE("every rank of a ring sends the bytes of its collective", "[pure]") {
  const std::uint64_t size = 64 * 6 * 8 * 128;  // whole blocks for each of 6 channels and 8 chunks
  const auto all = [&](std::uint64_t bytes) { return std::vector<std::uint64_t>(8, bytes); };
  CHECK(sent(plan_of(job_of("allreduce", first(8)), size)) == all(2 * 7 * size / 8));
  CHECK(sent(plan_of(job_of("reduce_scatter", first(8)), size)) == all(7 * size / 8));
  CHECK(sent(plan_of(job_of("allgather", first(8)), size)) == all(7 * size / 8));
  for (const char* along : {"broadcast", "reduce"}) {
    const std::vector<std::uint64_t> bytes = sent(plan_of(job_of(along, first(8), 5), size));
    CHECK(std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0}) == 7 * size);
    CHECK(bytes[5] == (std::string(along) == "broadcast" ? size : 0));
  }
}

TEST_CASE("slices occupy one slot of 512 KiB in a broadcast and two in an all-reduce", "[pure]") {
  const auto largest = [](const ChannelPlan& plan) {
    std::uint64_t most = 0;
    for (const ChannelStep& s : plan.programs[0].steps) most = std::max(most, s.bytes);
    return most;
  };
  // 500 MB over 6 rings: 83.33 MB each, in 20 loops of 4 MiB with 8 slices each
  const ChannelPlan broadcast = plan_of(job_of("broadcast", first(8)), 500 * MB);
  CHECK(largest(broadcast) <= 512 << 10);
  CHECK(broadcast.programs[0].steps.size() == 6 * 20 * 8);
  CHECK(broadcast.memory_bytes <= 500 * MB + 128 + 6 * 8 * (512 << 10));
  // 5 loops of 8 chunks of 2 MiB with two slices each; 15 steps per loop (2N - 1)
  const ChannelPlan allreduce = plan_of(job_of("allreduce", first(8)), 500 * MB);
  CHECK(largest(allreduce) <= 1 << 20);
  CHECK(allreduce.programs[0].steps.size() == 6 * 5 * 15 * 2);
}

TEST_CASE("a step waits for a slot only when all have been used", "[pure]") {
  const ChannelPlan plan = plan_of(job_of("broadcast", {0, 1, 4}), 20 * MB, "dgx1v");  // PCIe ring 0, 1, 4
  std::uint32_t n = 0, given = 0;
  for (const ChannelStep& s : plan.programs[0].steps) {
    CHECK(s.grants == (n < 8 ? 0 : n - 7));
    ++n;
  }
  for (const ChannelStep& s : plan.programs[1].steps) given += s.giver == 0;
  CHECK(n == 40);  // 5 loops of 4 MB with 8 slices each
  CHECK(given == n - 8);
  CHECK(plan.programs[0].steps[0].path == CopyPath::pcie);
  CHECK(plan.programs[2].steps[0].arrived_by == CopyPath::pcie);
}

TEST_CASE("small messages carry flags among their data", "[pure]") {
  CHECK(plan_of(job_of("allreduce", first(8)), 16383).programs[0].steps[0].low_latency);
  CHECK_FALSE(plan_of(job_of("allreduce", first(8)), 16384).programs[0].steps[0].low_latency);
}

TEST_CASE("broken channels are rejected", "[pure]") {
  const JobSpec job = job_of("allreduce", {0, 1, 2, 3});
  NcclParams params;
  params.slot = 512_B;
  const ChannelPlan good = plan_of(job, 200000, "dgx1v", params);
  const Bytes message = bytes(200000);
  const auto refused = [&](const char* because, auto&& change) {
    std::vector<StreamProgram> programs = good.programs;
    change(programs);
    CHECK_THROWS_WITH(prove_channels(job, message, programs), Catch::Contains(because));
  };
  const auto step = [](std::vector<StreamProgram>& p, auto&& wanted) -> ChannelStep& {
    return *std::find_if(p[1].steps.begin(), p[1].steps.end(), wanted);
  };
  const auto sums = [](const ChannelStep& s) { return s.reads_own && s.reads_input; };
  const auto waits_for_slot = [](const ChannelStep& s) { return s.grants > 0; };
  CHECK_NOTHROW(prove_channels(job, message, good.programs));
  refused("race", [&](auto& p) { step(p, waits_for_slot).grants = 0; });
  refused("race", [&](auto& p) { step(p, waits_for_slot).grants -= 1; });
  refused("", [&](auto& p) { step(p, sums).arrivals = 0; });
  refused("", [&](auto& p) { step(p, sums).arrivals -= 1; });
  refused("it reaches only", [&](auto& p) { p[1].steps.back().arrivals += 1; });
  refused("once", [&](auto& p) { step(p, sums).reads_own = false; });
  refused("", [&](auto& p) { step(p, sums).destination += 128; });
  refused("add to one semaphore", [&](auto& p) { step(p, sums).tell += 1; });
  refused("deadlock", [&](auto& p) {
    for (StreamProgram& program : p)
      for (ChannelStep& s : program.steps) s.arrivals += !s.reads_input;
  });
  refused("once", [&](auto& p) { step(p, [](const ChannelStep& s) { return s.stores; }).stores = false; });
}

}  // namespace tributary::test_channel_lowering
