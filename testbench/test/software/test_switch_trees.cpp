/// Trees and channels for GPUs connected by a switch: sends of each GPU, their order, and the proofs.
#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <set>

#include "modules/base/index.h"
#include "testbench/codegen/stream_lowering.h"
#include "testbench/codegen/tree_channels.h"
#include "testbench/collective/tree/tree.h"
#include "testbench/family/blink/switch_report.h"
#include "testbench/test/harness/stream_executor.h"

namespace tributary::test_switch_trees {

using collective::TreeUse;
using collective::WeightedTree;
using Kind = StreamCommand::Kind;

namespace {

JobSpec job_of(const std::string& collective, int ranks, int root = 0) {
  JobSpec job;
  job.collective = collective;
  for (int r = 0; r < ranks; ++r) job.ranks.push_back(2 * r + 1);  // endpoints differ from ranks
  job.root = root;
  job.type = ElementType::i32;
  return job;
}

struct Case {
  const char* collective;
  TreeUse use;
};
constexpr Case over_own_roots[]{
    {"allreduce", TreeUse::allreduce}, {"allgather", TreeUse::allgather}, {"reduce_scatter", TreeUse::reduce_scatter}};

StreamOptions staggered(std::uint64_t chunk) {
  StreamOptions options;
  options.chunk = bytes(chunk);
  options.from_roots = options.staggered = true;
  return options;
}

/// Returns the peers of a rank's copies, in order of issue.
std::vector<int> peers(const StreamProgram& program) {
  std::vector<int> all;
  for (const StreamCommand& c : program.commands)
    if (c.kind == Kind::copy) all.push_back(c.peer / 2);
  return all;
}

std::uint64_t sent(const StreamProgram& program) {
  std::uint64_t all = 0;
  for (const StreamCommand& c : program.commands)
    if (c.kind == Kind::copy) all += c.bytes;
  return all;
}

}  // namespace

TEST_CASE("one hop trees: each GPU sends its fraction once to each peer, and slices go down the tree of their rank",
          "[pure]") {
  constexpr std::uint64_t share = 1280, message = 16 * share;
  for (const Case& c : over_own_roots) {
    const JobSpec job = job_of(c.collective, 16);
    const StreamPlan plan = plan_streams(job, bytes(message), on_path(collective::one_hop_trees(16), CopyPath::nvlink),
                                         c.use, staggered(1'000'000));
    for (const StreamProgram& p : plan.programs) CHECK(sent(p) == (c.use == TreeUse::allreduce ? 2 : 1) * 15 * share);
    for (unsigned seed = 1; seed <= 3; ++seed)
      CHECK(StreamExecutor(job, bytes(message), plan.programs, plan.memory, 32, seed).run() == "");
  }
}

TEST_CASE("staggered: each rank begins with the next peer, so no two begin with the same one, chunk by chunk", "[pure]") {
  for (const Case& c : over_own_roots) {
    const StreamPlan plan = plan_streams(job_of(c.collective, 16), bytes(16 * 4 * 1280),
                                         on_path(collective::one_hop_trees(16), CopyPath::nvlink), c.use, staggered(1280));
    for (int r = 0; r < 16; ++r) {
      const std::vector<int> order = peers(plan.programs[at(r)]);
      for (int i = 0; i < 15; ++i) {
        const std::size_t first = at(i) * (c.use == TreeUse::allreduce ? 2 : 1);  // up, and simultaneously the stream down
        CHECK(order[first] == (r + 1 + i) % 16);
      }
      // streams are numbered in the order of issue
      int most = -1;
      for (const StreamCommand& command : plan.programs[at(r)].commands) {
        CHECK(command.stream <= most + 1);
        most = std::max(most, int{command.stream});
      }
    }
  }
}

TEST_CASE("staggered: too few hardware queues keep the common order, which cannot deadlock", "[pure]") {
  StreamOptions few = staggered(1280);
  few.queues = 4;
  for (const Case& c : over_own_roots) {
    const JobSpec job = job_of(c.collective, 8);
    const StreamPlan plan =
        plan_streams(job, bytes(8 * 4 * 1280), on_path(collective::one_hop_trees(8), CopyPath::nvlink), c.use, few);
    CHECK(StreamExecutor(job, bytes(8 * 4 * 1280), plan.programs, plan.memory, 4, 1).run() == "");
  }
}

TEST_CASE("two hop trees: the root sends the message once, and no other rank sends more", "[pure]") {
  for (const int ranks : {2, 3, 5, 16})
    for (const int root : {0, ranks - 1}) {
      const std::uint64_t message = static_cast<std::uint64_t>(ranks - 1) * 2560;
      const auto trees = collective::two_hop_trees(ranks, root);
      CHECK(trees.size() == at(ranks - 1));
      for (const WeightedTree& t : trees) CHECK(t.tree.root() == root);
      const JobSpec job = job_of("broadcast", ranks, root);
      const StreamPlan down =
          plan_streams(job, bytes(message), on_path(trees, CopyPath::nvlink), TreeUse::broadcast, staggered(1280));
      for (int r = 0; r < ranks; ++r)
        CHECK(
            sent(down.programs[at(r)]) ==
            (r == root ? message : message / static_cast<std::uint64_t>(ranks - 1) * static_cast<std::uint64_t>(ranks - 2)));
      CHECK(StreamExecutor(job, bytes(message), down.programs, down.memory, 32, 1).run() == "");
      const JobSpec back = job_of("reduce", ranks, root);
      const StreamPlan up =
          plan_streams(back, bytes(message), on_path(trees, CopyPath::nvlink), TreeUse::reduce, staggered(1280));
      CHECK(StreamExecutor(back, bytes(message), up.programs, up.memory, 32, 1).run() == "");
    }
}

TEST_CASE("trees through switches reach the bound of the GPU links", "[pure]") {
  for (int ranks = 2; ranks <= 17; ++ranks)
    for (const TreeUse use : {TreeUse::broadcast, TreeUse::reduce, TreeUse::allreduce})
      CHECK(switch_rate(collective::switch_trees(use, ranks, ranks / 2), use) == switch_bound(use, ranks));
}

TEST_CASE("tree channels: schedules are proved for any number of ranks and channels, with reused slots", "[pure]") {
  NcclParams small;
  small.slot = 512_B;
  small.low_latency.below = 512_B;
  for (int ranks = 2; ranks <= 17; ++ranks)
    for (const unsigned channels : {1u, 2u, 12u})
      for (const std::uint64_t size : {4, 128, 1000, 40000}) {
        INFO(ranks << " ranks, " << channels << " channels, " << size << " B");
        const ChannelPlan plan = lower_tree_channels(job_of("allreduce", ranks), bytes(size), channels, small);
        // every rank except the root of a tree sends its sum up, and receives the sum of all
        std::uint64_t all = 0;
        for (const StreamProgram& p : plan.programs)
          for (const ChannelStep& s : p.steps)
            if (s.peer != ChannelStep::none) all += s.bytes;
        CHECK(all == 2 * static_cast<std::uint64_t>(ranks - 1) * size);
      }
}

TEST_CASE("tree channels: each of two trees carries half of the message, and all sums precede the first result", "[pure]") {
  const ChannelPlan plan = lower_tree_channels(job_of("allreduce", 16), 12_KiB, 12, {});
  const auto trees = collective::double_binary_trees(16);
  for (int r = 0; r < 16; ++r)
    for (unsigned c = 0; c < 12; ++c) {
      std::uint64_t down = 0;
      bool results = false;
      for (const ChannelStep& s : plan.programs[at(r)].steps) {
        if (s.channel != c) continue;
        CHECK(s.low_latency);
        CHECK_FALSE(s.direct);  // flags are stored among the data
        const bool adds = s.reads_input && s.reads_own, hands_on = s.peer != ChannelStep::none;
        if (s.reads_input && !s.reads_own) results = true, down += s.bytes;
        if (results) CHECK_FALSE(adds);
        if (hands_on && !results && r != trees[c % 2].root()) CHECK(s.peer / 2 == trees[c % 2].parent[at(r)]);
      }
      CHECK(down == (r == trees[c % 2].root() ? 0 : (1_KiB).value));
    }
}

}  // namespace tributary::test_switch_trees
