// The baseline's collectives as steps of channels: proofs, division into chunks as in NCCL, and rejected channels.
#include <catch2/catch.hpp>

#include <numeric>
#include <tuple>
#include <utility>

#include "platforms/topology/allocation.h"
#include "testbench/codegen/channel_collectives.h"
#include "testbench/codegen/channel_lowering.h"
#include "testbench/codegen/channel_proof.h"
#include "testbench/codegen/channel_protocol.h"
#include "testbench/collective/schedule/schedule.h"
#include "testbench/family/blink/channel_rings.h"
#include "testbench/family/blink/nic_paths.h"

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
  return lower_channels(job, bytes(size), channel_rings(topology::server(server), job.ranks, params.copies).rings, params);
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
  const topology::Server p = topology::server("dgx1p");
  CHECK(channel_rings(v, first(8), 1).rings.size() == 6);
  CHECK(channel_rings(p, first(8), 1).rings.size() == 4);
  CHECK(channel_rings(v, {0, 3}, 1).rings.size() == 2);  // a pair with two links
  CHECK(channel_rings(v, {5}, 1).rings.empty());

  const std::vector<ChannelRing> none = channel_rings(v, {1, 6, 4, 5}, 2).rings;  // no ring [P 5.2]
  REQUIRE(none.size() == 1);
  CHECK(none[0].hops == std::vector<CopyPath>(4, CopyPath::pcie));
  CHECK(none[0].ranks == std::vector<int>{0, 2, 3, 1});  // GPUs 1 | 4, 5 | 6
}

TEST_CASE("a simple ring follows the ranks over NVLinks, PCIe in a socket and host memory between sockets", "[pure]") {
  topology::Server v = topology::server("dgx1v");
  const auto simple = [&] { return channel_rings(v, {1, 6, 4, 5}, 2, 1, RingFallback::simple).rings; };
  std::vector<ChannelRing> rings = simple();
  REQUIRE(rings.size() == 1);
  CHECK(rings[0].ranks == std::vector<int>{0, 1, 2, 3});
  CHECK(rings[0].hops == std::vector<CopyPath>{CopyPath::pcie, CopyPath::nvlink, CopyPath::nvlink, CopyPath::nvlink});
  CHECK(rings[0].host == std::vector<bool>{true, false, false, false});
  v.links[4][6] = v.links[6][4] = 0;  // one socket
  rings = simple();
  CHECK(rings[0].hops[1] == CopyPath::pcie);
  CHECK_FALSE(rings[0].host[1]);
  CHECK(channel_rings(v, {0, 1, 2, 3}, 1, 1, RingFallback::simple).rings.size() > 1);  // NVLinks have rings
  // The receiver of the hop reads host memory, and nothing is at its final address before.
  const ChannelPlan plan = lower_channels(job_of("allreduce", {1, 6, 4, 5}), bytes(MB), rings, {});
  for (std::size_t r = 0; r < 4; ++r)
    for (const ChannelStep& s : plan.programs[r].steps) {
      CHECK(s.from_host == (r == 1 && s.reads_input));
      CHECK_FALSE((s.from_host && s.direct));
    }
}

TEST_CASE("channels of one link share its rate", "[pure]") {
  const auto share = [](const char* server, const std::vector<int>& gpus, std::uint32_t copies) {
    const ChannelRings made = channel_rings(topology::server(server), gpus, copies);
    return std::tuple(made.rings.size(), made.rate_of * 840 / made.rate_over);  // of 840
  };
  CHECK(share("dgx1v", first(8), 1) == std::tuple(6u, 840u));
  CHECK(share("dgx1v", first(8), 2) == std::tuple(12u, 420u));
  CHECK(share("dgx1v", first(8), 4) == std::tuple(16u, 6 * 840u / 16));  // NCCL has 16 channels at most
  CHECK(share("dgx1p", {0, 1, 2, 3}, 2) == std::tuple(12u, 210u));       // six rings of half a link
  CHECK(share("dgx1v", {1, 6, 4, 5}, 2) == std::tuple(1u, 840u));        // PCIe
}

TEST_CASE("a ring enters a server at the GPU nearest to the NIC, and leaves near it", "[pure]") {
  const topology::Server v = topology::server("dgx1v");  // its first NIC is on the PCIe switch of GPUs 0 and 1
  CHECK(nearness(v, 0) == 4);
  CHECK(nearness(v, 1) == 4);
  CHECK(nearness(v, 3) == 2);
  CHECK(nearness(v, 4) == 1);
  CHECK(nic_path(v, {0, 1, 2}) == std::vector<int>{0, 2, 1});
  CHECK(nic_path(v, {1, 2, 3, 0}) == std::vector<int>{0, 1, 2, 3});  // places: GPUs 1, 2, 3, 0
  CHECK(nic_path(v, {0, 4, 7}) == std::vector<int>{0, 1, 2});        // the second is as far as the third
  CHECK(nic_path(v, {0, 1, 2, 3, 4}).empty());                       // GPU 4 has links to GPU 0 alone
  CHECK(nic_path(v, {5}) == std::vector<int>{0});
  CHECK(nic_path(v, {1, 4}).empty());
}

TEST_CASE("servers with several NICs have a ring for each, which enters near its NIC", "[pure]") {
  for (const char* const name : {"h100", "a100"}) {
    const topology::Server server = topology::server(name);
    const ChannelRings made = channel_rings(server, first(16), 1, 8);
    REQUIRE(made.rings.size() == 8);
    std::vector<int> enters(16, 0), leaves(16, 0);
    for (const ChannelRing& ring : made.rings)
      for (std::size_t i = 0; i < 16; ++i)
        if (ring.hops[i] == CopyPath::network)
          ++leaves[static_cast<std::size_t>(ring.ranks[i])], ++enters[static_cast<std::size_t>(ring.ranks[(i + 1) % 16])];
    CHECK(enters == std::vector<int>(16, 1));  // each GPU has a NIC of its own
    CHECK(leaves == std::vector<int>(16, 1));
    // All channels together have the rate of all links of a GPU.
    CHECK(made.rate_of * 8 == static_cast<unsigned>(links_of_switch(server, first(8))) * made.rate_over);
    CHECK(channel_rings(server, first(16), 2, 8).rings.size() == 16);
    CHECK(channel_rings(server, {0, 8}, 1, 8).rings.size() == 1);  // two GPUs reach two NICs
    CHECK(channel_rings(server, {0, 1, 2, 8, 9}, 1, 8).rings.size() == 2);
  }
  const topology::Server v = topology::server("dgx1v");  // four NICs, one for two GPUs
  CHECK(nearest_nics(v, first(8), 4) == std::vector<std::size_t>{0, 1, 2, 3});
  CHECK(nearest_nics(v, {0, 1, 6}, 4) == std::vector<std::size_t>{0, 3});
  CHECK(channel_rings(v, first(16), 1, 4).rings.size() == 4);
}

TEST_CASE("one ring passes through several servers, over NVLinks where a path covers all GPUs of a server", "[pure]") {
  const topology::Server v = topology::server("dgx1v");
  const std::vector<int> gpus{0, 4, 7, 8, 9, 12, 13};  // path 0-4-7; {0, 1, 4, 5} on the second server
  const std::vector<ChannelRing> rings = channel_rings(v, gpus, 1).rings;
  REQUIRE(rings.size() == 1);
  REQUIRE(rings[0].ranks.size() == 7);
  for (std::size_t i = 0; i < 7; ++i) {
    const int a = gpus[static_cast<std::size_t>(rings[0].ranks[i])];
    const int b = gpus[static_cast<std::size_t>(rings[0].ranks[(i + 1) % 7])];
    const bool together = a / 8 == b / 8;
    CHECK(rings[0].hops[i] == (together ? CopyPath::nvlink : CopyPath::network));
    if (together) CHECK(v.between(a % 8, b % 8) > 0);
  }
  CHECK(channel_rings(v, gpus, 2).rings.size() == 2);
  CHECK(channel_rings(v, {1, 4, 8, 9}, 2).rings.size() == 1);
  CHECK(channel_rings(v, {1, 4, 8, 9}, 1).rings[0].hops ==
        std::vector<CopyPath>{CopyPath::pcie, CopyPath::network, CopyPath::nvlink, CopyPath::network});
  for (const ChannelCollective& m : channel_collectives()) CHECK_NOTHROW(plan_of(job_of(m.collective, gpus, 4), 3 * MB));
}

TEST_CASE("collectives by channels are proved for all sets of GPUs and various sizes", "[pure]") {
  NcclParams small;
  small.slot = 512_B;  // slots are reused many times
  small.low_latency.below = 512_B;
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
  const std::uint64_t size = 64 * 12 * 8 * 128;  // whole blocks for each of 12 channels and 8 chunks
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
  // 500 MB over 12 channels: 41.67 MB each, in 10 loops of 4 MiB with 8 slices each
  const ChannelPlan broadcast = plan_of(job_of("broadcast", first(8)), 500 * MB);
  CHECK(largest(broadcast) <= 512 << 10);
  CHECK(broadcast.programs[0].steps.size() == 12 * 10 * 8);
  CHECK(broadcast.memory_bytes <= 500 * MB + 128 + 12 * 8 * (512 << 10));
  // 3 loops of 8 chunks of 2 MiB with two slices each; 15 steps per loop (2N - 1)
  const ChannelPlan allreduce = plan_of(job_of("allreduce", first(8)), 500 * MB);
  CHECK(largest(allreduce) <= 1 << 20);
  CHECK(allreduce.programs[0].steps.size() == 12 * 3 * 15 * 2);
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

TEST_CASE("messages carry flags up to 64 B for each thread of all channels, for each chunk of a loop", "[pure]") {
  const auto flags = [](const std::string& collective, std::uint64_t size, const NcclParams& params = {}) {
    return plan_of(job_of(collective, first(8)), size, "dgx1v", params).programs[0].steps[0].low_latency;
  };
  CHECK(flags("broadcast", 12 * 256 * 64));
  CHECK_FALSE(flags("broadcast", 12 * 256 * 64 + 4));
  CHECK(flags("allreduce", 8 * 12 * 256 * 64));  // each of 8 ranks sends a chunk
  CHECK_FALSE(flags("allreduce", 8 * 12 * 256 * 64 + 4));
  NcclParams set;
  set.low_latency.below = 16_KiB;
  CHECK(flags("allreduce", 16383, set));
  CHECK_FALSE(flags("allreduce", 16384, set));
  const LowLatencyParams standard;
  LowLatencyParams pascal;
  pascal.per_thread = 32_B;
  CHECK(carries_flags(standard, {12, 16, false}, 3_MiB));  // an all-reduce of 16 V100 behind NVSwitches
  CHECK_FALSE(carries_flags(standard, {12, 16, false}, bytes((3_MiB).value + 1)));
  CHECK(carries_flags(pascal, {8, 8, false}, 512_KiB));
  CHECK_FALSE(carries_flags(pascal, {8, 8, false}, bytes((512_KiB).value + 1)));
  CHECK(carries_flags(pascal, {8, 8, true}, 1_MiB));  // several servers
}

TEST_CASE("data with flags fill slots of 16 KiB, and pass along a ring in lines of 8 B a thread", "[pure]") {
  const auto sizes = [](const std::string& collective, std::uint64_t size) {
    const ChannelPlan plan = plan_of(job_of(collective, first(8)), size);
    std::pair<std::uint64_t, std::size_t> found{0, 0};  // largest step, steps of a channel of rank 0
    for (const ChannelStep& s : plan.programs[0].steps)
      if (s.channel == 0) found = {std::max(found.first, s.bytes), found.second + 1};
    return found;
  };
  CHECK(sizes("broadcast", 12 * (16_KiB).value) == std::pair<std::uint64_t, std::size_t>{2048, 8});
  CHECK(sizes("allreduce", 8 * 12 * (16_KiB).value) == std::pair<std::uint64_t, std::size_t>{16384, 15});
}

TEST_CASE("broken channels are rejected", "[pure]") {
  const JobSpec job = job_of("allreduce", {0, 1, 2, 3});
  NcclParams params;
  params.slot = 512_B;
  params.low_latency.below = 0_B;
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

TEST_CASE("kernels back to back have buffers of their own, and slots and counts go on", "[pure]") {
  JobSpec job = job_of("broadcast", {0, 1, 2, 3});
  constexpr std::uint64_t size = 100 * MB + 4;
  const ChannelPlan one = plan_of(job, size);
  job.back_to_back = 3;
  const ChannelPlan three = plan_of(job, size);
  const std::uint64_t apart = (size + block_bytes - 1) / block_bytes * block_bytes;
  CHECK(three.memory_bytes == one.memory_bytes + 2 * apart);
  const auto steps_of = [](const ChannelPlan& plan, std::size_t rank, unsigned kernel) {
    std::vector<ChannelStep> steps;
    for (const ChannelStep& s : plan.programs[rank].steps)
      if (s.channel == 0 && s.kernel == kernel) steps.push_back(s);
    return steps;
  };
  for (std::size_t r = 0; r < 4; ++r) {
    const std::vector<ChannelStep> before = steps_of(one, r, 0), first = steps_of(three, r, 0), last = steps_of(three, r, 2);
    REQUIRE((before.size() == first.size() && before.size() == last.size()));
    const auto sent = static_cast<std::uint32_t>(first.size());
    REQUIRE(sent >= 8);  // slots of a channel
    for (std::size_t i = 0; i < first.size(); ++i) {
      CHECK((first[i].own == before[i].own && last[i].own == first[i].own + 2 * apart));
      if (first[i].reads_input) CHECK(last[i].arrivals == first[i].arrivals + 2 * sent);
      if (first[i].reads_input) CHECK(first[i].giver != ChannelStep::none);  // the slot is used again
      if (last[i].peer != ChannelStep::none) CHECK(last[i].grants > 0);      // no slot is new
    }
  }
  std::vector<StreamProgram> broken = three.programs;
  for (ChannelStep& s : broken[1].steps)
    if (s.kernel == 1) s.own -= apart;
  CHECK_THROWS_AS(prove_channels(job, bytes(size), broken), ScheduleError);
}

}  // namespace tributary::test_channel_lowering
