// Trees of NCCL 2.21 and later in one server: their steps by hand, and their proof with both groups of a thread block at
// once.
#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <numeric>

#include "testbench/codegen/chain_trees.h"
#include "testbench/codegen/channel_proof.h"
#include "testbench/collective/schedule/schedule.h"

namespace tributary::test_chain_trees {

using collective::ScheduleError;

namespace {

JobSpec all_reduce(int ranks) {
  JobSpec job;
  job.algorithm = "nccl";
  job.ranks.resize(static_cast<std::size_t>(ranks));
  std::iota(job.ranks.begin(), job.ranks.end(), 0);
  return job;
}

ChainTreeCut cut_of(unsigned blocks, std::uint64_t chunk, std::uint64_t slice, unsigned slots = 2, bool flags = false) {
  ChainTreeCut cut;
  cut.blocks = blocks, cut.chunk_bytes = chunk, cut.slice_bytes = slice, cut.slots = slots, cut.flags = flags;
  return cut;
}

ChannelPlan plan_of(int ranks, std::uint64_t size, const ChainTreeCut& cut) {
  return lower_chain_trees(all_reduce(ranks), bytes(size), cut);
}

std::vector<ChannelStep> of_channel(const StreamProgram& program, unsigned channel) {
  std::vector<ChannelStep> steps;
  for (const ChannelStep& s : program.steps)
    if (s.channel == channel) steps.push_back(s);
  return steps;
}

std::uint64_t sent(const StreamProgram& program) {
  std::uint64_t bytes = 0;
  for (const ChannelStep& s : program.steps)
    if (s.peer != ChannelStep::none) bytes += s.bytes;
  return bytes;
}

}  // namespace

TEST_CASE("trees of a server are proved for 2 to 9 ranks, various sizes and cuts", "[pure]") {
  for (int ranks = 2; ranks <= 9; ++ranks)
    for (const std::uint64_t size : {4, 128, 1000, 40004})
      for (const ChainTreeCut& cut : {cut_of(1, 512, 512), cut_of(3, 512, 128, 1), cut_of(2, 1280, 512, 2, true)}) {
        INFO(ranks << " ranks, " << size << " B, " << cut.blocks << " thread blocks");
        CHECK_NOTHROW(plan_of(ranks, size, cut));
      }
}

// all_reduce.h, runTreeSplit: the first GPU of the chain is the root, and receives, adds, stores and sends with all threads.
TEST_CASE("in a tree one group of threads reduces up a chain, the other one broadcasts down, and the root does both",
          "[pure]") {
  const std::uint64_t size = 4 * 512;
  const ChannelPlan plan = plan_of(3, size, cut_of(1, 512, 512));
  REQUIRE(plan.programs.size() == 3);
  const auto kinds = [&](unsigned rank, unsigned channel) {
    std::map<std::string, int> found;
    for (const ChannelStep& s : of_channel(plan.programs[rank], channel)) {
      std::string kind;
      if (s.reads_input) kind += "receive ";
      if (s.reads_own) kind += s.reads_input ? "add " : "read ";
      if (s.stores) kind += "store ";
      if (s.peer != ChannelStep::none) kind += "send " + std::to_string(s.peer);
      ++found[kind];
    }
    return found;
  };
  using Kinds = std::map<std::string, int>;
  CHECK(kinds(0, 0) == Kinds{{"receive add store send 1", 4}});
  CHECK(kinds(0, 1).empty());
  CHECK(kinds(1, 0) == Kinds{{"receive add send 0", 4}});
  CHECK(kinds(1, 1) == Kinds{{"receive store send 2", 4}});
  CHECK(kinds(2, 0) == Kinds{{"read send 1", 4}});
  CHECK(kinds(2, 1) == Kinds{{"receive store ", 4}});
  CHECK(sent(plan.programs[0]) == size);
  CHECK(sent(plan.programs[1]) == 2 * size);
  CHECK(sent(plan.programs[2]) == size);
  for (const StreamProgram& p : plan.programs) CHECK(p.groups == 2);
}

TEST_CASE("the chunks of a tree are whole but the last one, and so are the slices of a chunk", "[pure]") {
  const auto sizes = [](const ChannelPlan& plan) {
    std::vector<std::uint64_t> all;
    for (const ChannelStep& s : plan.programs[0].steps) all.push_back(s.bytes);
    return all;
  };
  using Sizes = std::vector<std::uint64_t>;
  CHECK(sizes(plan_of(2, 1300, cut_of(1, 512, 512))) == Sizes{512, 512, 276});
  CHECK(sizes(plan_of(2, 1300, cut_of(1, 640, 256))) == Sizes{256, 256, 128, 256, 256, 128, 20});
}

TEST_CASE("a step of a tree waits for a slot only when all slots of its edge have been used", "[pure]") {
  const ChannelPlan plan = plan_of(3, 12 * 512, cut_of(1, 512, 256, 4));  // 24 slices; 4 slots of 2 slices
  for (const auto& [rank, channel] : {std::pair(0u, 0u), {1u, 0u}, {1u, 1u}, {2u, 0u}}) {
    std::uint32_t n = 0;
    for (const ChannelStep& s : of_channel(plan.programs[rank], channel)) {
      CHECK(s.grants == (n < 8 ? 0 : n - 7));
      ++n;
    }
    CHECK(n == 24);
  }
  for (const unsigned rank : {0u, 1u, 2u}) {
    std::uint32_t given = 0;
    for (const ChannelStep& s : plan.programs[rank].steps) given += s.giver != ChannelStep::none;
    CHECK(given == (rank == 1 ? 2u : 1u) * (24 - 8));  // the last slots are not returned
  }
}

TEST_CASE("data without flags that are broadcast down a tree arrive at their final address", "[pure]") {
  for (const bool flags : {false, true})
    for (const StreamProgram& p : plan_of(4, 5000, cut_of(2, 512, 256, 2, flags)).programs)
      for (const ChannelStep& s : p.steps) {
        CHECK(s.low_latency == flags);
        CHECK(s.direct == (!flags && s.stores && !s.reads_own));
      }
}

TEST_CASE("trees that are none are refused in one line", "[pure]") {
  JobSpec gather = all_reduce(3);
  gather.collective = "allgather";
  CHECK_THROWS_WITH(lower_chain_trees(gather, 1_KiB, cut_of(1, 512, 512)), "trees of NCCL do not run allgather");
  CHECK_THROWS_AS(plan_of(1, 1000, cut_of(1, 512, 512)), ScheduleError);
  for (const ChainTreeCut& cut : {cut_of(1, 512, 0), cut_of(1, 128, 512), cut_of(1, 500, 100), cut_of(1, 512, 512, 0)})
    CHECK_THROWS_AS(plan_of(3, 1000, cut), ScheduleError);
}

TEST_CASE("broken trees are rejected", "[pure]") {
  const JobSpec job = all_reduce(4);
  const Bytes message = bytes(20000);
  const ChannelPlan good = lower_chain_trees(job, message, cut_of(2, 512, 512, 2));
  const auto refused = [&](const char* because, auto&& change) {
    std::vector<StreamProgram> programs = good.programs;
    change(programs);
    CHECK_THROWS_WITH(prove_channels(job, message, programs), Catch::Contains(because));
  };
  const auto step = [](StreamProgram& p, unsigned channel, std::size_t i) -> ChannelStep& {
    std::size_t n = 0;
    return *std::find_if(p.steps.begin(), p.steps.end(),
                         [&](const ChannelStep& s) { return s.channel == channel && n++ == i; });
  };
  using Programs = std::vector<StreamProgram>;
  CHECK_NOTHROW(prove_channels(job, message, good.programs));
  for (const unsigned group : {0u, 1u}) {
    refused("", [&](Programs& p) { step(p[1], group, 3).grants -= 1; });
    refused("", [&](Programs& p) { step(p[2], group, 5).grants = 0; });
    refused("", [&](Programs& p) { step(p[2], group, 4).arrivals -= 1; });
  }
  refused("once", [&](Programs& p) { step(p[2], 0, 3).reads_own = false; });
  refused("once", [&](Programs& p) { step(p[0], 0, 3).stores = false; });
  refused("once", [&](Programs& p) { step(p[3], 1, 3).stores = false; });
  refused("another channel", [&](Programs& p) {
    for (StreamProgram& program : p) program.groups = 1;
  });
  refused("unequal groups", [](Programs& p) { p[2].groups = 1; });
  refused("waits for another channel", [&](Programs& p) { step(p[1], 1, 0).arrived = step(p[1], 3, 0).arrived; });
  // A thread block waits for a sum before it sends the operand.
  refused("deadlock", [&](Programs& p) {
    ChannelStep& sends = step(p[3], 0, 0);
    sends.granted = step(p[3], 1, 0).arrived, sends.grants = 1;
  });
}

// Rank 1 receives the sums of the root in the slots of operands. In the order of a single timing that may be right.
TEST_CASE("groups of a thread block that share slots race, as neither waits for the other", "[pure]") {
  const JobSpec job = all_reduce(3);
  const Bytes message = bytes(8 * 512);
  std::vector<StreamProgram> programs = lower_chain_trees(job, message, cut_of(1, 512, 512, 1)).programs;
  const std::uint64_t slot = of_channel(programs[1], 0)[0].input;
  for (ChannelStep& s : programs[0].steps) s.destination = slot;
  for (ChannelStep& s : programs[1].steps)
    if (s.channel == 1) s.input = slot;
  CHECK_THROWS_WITH(prove_channels(job, message, programs), Catch::Contains("race for address"));
}

}  // namespace tributary::test_chain_trees
