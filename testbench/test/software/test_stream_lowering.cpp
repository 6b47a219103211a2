/// Trees as streams of commands (docs/systems/blink.md#codegen).
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <numeric>
#include <set>

#include "modules/base/index.h"
#include "testbench/codegen/stream_lowering.h"
#include "testbench/codegen/stream_proof.h"
#include "testbench/collective/schedule/symbolic.h"
#include "testbench/test/harness/blink_trees.h"
#include "testbench/test/harness/stream_executor.h"

namespace tributary::test_stream_lowering {

using blink_trees::trees_of;
using collective::TreeUse;
using collective::WeightedTree;
using Kind = StreamCommand::Kind;

namespace {

JobSpec job_of(TreeUse use, std::size_t ranks, int root = 0) {
  static const std::map<TreeUse, const char*> names{
      {TreeUse::broadcast, "broadcast"}, {TreeUse::reduce, "reduce"},       {TreeUse::allreduce, "allreduce"},
      {TreeUse::gather, "gather"},       {TreeUse::allgather, "allgather"}, {TreeUse::reduce_scatter, "reduce_scatter"}};
  JobSpec job;
  job.collective = names.at(use);
  for (std::size_t r = 0; r < ranks; ++r) job.ranks.push_back(static_cast<int>(2 * r + 1));  // endpoints differ from ranks
  job.root = root;
  job.type = ElementType::i32;
  return job;
}

StreamPlan planned(TreeUse use, const std::vector<WeightedTree>& trees, std::uint64_t message,
                   const StreamOptions& options) {
  return plan_streams(job_of(use, trees.front().tree.parent.size(), trees.front().tree.root()), bytes(message),
                      on_path(trees, CopyPath::nvlink), use, options);
}

std::string executed(TreeUse use, const StreamPlan& made, std::uint64_t message, unsigned queues, unsigned seed, int root) {
  return StreamExecutor(job_of(use, made.programs.size(), root), bytes(message), made.programs, made.memory, queues, seed)
      .run();
}

std::size_t commands(const StreamPlan& made, Kind kind) {
  std::size_t n = 0;
  for (const StreamProgram& p : made.programs)
    for (const StreamCommand& c : p.commands) n += c.kind == kind;
  return n;
}

StreamOptions with_chunk(std::uint64_t chunk) {
  StreamOptions options;
  options.chunk = bytes(chunk);
  return options;
}

}  // namespace

TEST_CASE("stream lowering: every class of both machines is proved, and executed in random order", "[pure]") {
  unsigned seed = 1;
  blink_trees::for_each_class([&](const auto& down, const auto& both) {
    for (const TreeUse use : blink_trees::all_uses) {
      StreamOptions options = with_chunk(2048);
      options.fan_in = 1 + seed % 4, options.queues = seed % 5 == 0 ? 1 : 2 + seed % 31;
      options.reuse = seed % 2 == 0, options.own_kernel_streams = seed % 3 == 0, options.sequential_phases = seed % 7 == 0;
      const StreamPlan made = planned(use, blink_trees::rooted(use) ? down : both, 20'004, options);
      CHECK(executed(use, made, 20'004, options.queues, seed++, 0) == "");
    }
  });
}

TEST_CASE("stream lowering: GPUs exchange the bytes of the schedule, with N - 1 additions per element", "[pure]") {
  const auto down = trees_of(topology::dgx1v(), blink_trees::all_gpus, TreeUse::broadcast, 5);
  const auto both = trees_of(topology::dgx1v(), blink_trees::all_gpus, TreeUse::allreduce);
  for (const TreeUse use : blink_trees::all_uses) {
    const auto& trees = blink_trees::rooted(use) ? down : both;
    const std::uint64_t message = 96'000;
    StreamOptions options = with_chunk(4096);
    options.fan_in = 2;
    const StreamPlan made = planned(use, trees, message, options);
    std::map<std::pair<int, int>, std::uint64_t> sent, wanted;
    std::uint64_t added = 0;
    for (std::size_t r = 0; r < 8; ++r)
      for (const StreamCommand& c : made.programs[r].commands) {
        if (c.kind == Kind::copy) sent[{static_cast<int>(r), (c.peer - 1) / 2}] += c.bytes;
        if (c.kind == Kind::kernel) added += c.bytes * c.input_count;
        if (c.kind == Kind::kernel) CHECK(c.input_count <= 2);
      }
    for (std::size_t r = 0; r < 8; ++r)
      for (const collective::Operation& o : made.schedule.schedule.programs[r])
        if (o.kind == collective::OperationKind::send)
          wanted[{static_cast<int>(r), o.peer}] += made.schedule.chunks[at(o.chunk)].bytes;
    CHECK(sent == wanted);
    const bool adds = use == TreeUse::reduce || use == TreeUse::allreduce || use == TreeUse::reduce_scatter;
    CHECK(added == (adds ? 7 * message : 0));
    CHECK(executed(use, made, message, 32, 3, trees.front().tree.root()) == "");
  }
}

TEST_CASE("stream lowering: messages of one element, of odd sizes, and of less than a block per tree are proved", "[pure]") {
  for (const TreeUse use : blink_trees::all_uses) {
    const auto trees = trees_of(topology::dgx1v(), {0, 1, 2, 4, 5, 6}, use);
    for (const std::uint64_t message : {4, 20, 128, 132, 640, 9'996}) {
      const StreamPlan made = planned(use, trees, message, with_chunk(1'000'000));
      CHECK(executed(use, made, message, 32, 1, trees.front().tree.root()) == "");
    }
  }
}

TEST_CASE("stream lowering: a chunk needs three commands down, and mailboxes of full size up", "[pure]") {
  // A chain of three, ten chunks: the root never waits, the last rank waits once.
  const std::vector<WeightedTree> chain = collective::chain_from(3, 0);
  const StreamPlan down = planned(TreeUse::broadcast, chain, 12'800, with_chunk(1280));
  CHECK(commands(down, Kind::copy) == 20);
  CHECK(commands(down, Kind::record) == 20);
  CHECK(commands(down, Kind::wait) == 10 + 1);
  CHECK(down.programs[1].streams == 1);
  CHECK(down.memory == std::vector<std::uint64_t>{12'800, 12'800, 12'800});

  const StreamPlan up = planned(TreeUse::reduce, chain, 12'800, with_chunk(1280));
  CHECK(commands(up, Kind::kernel) == 20);
  CHECK(commands(up, Kind::wait) == 20);
  CHECK(up.memory == std::vector<std::uint64_t>{25'600, 25'600, 12'800});

  // Up and down: the root records for its stream down; the last rank waits once, after its sums.
  const StreamPlan both = planned(TreeUse::allreduce, chain, 12'800, with_chunk(1280));
  CHECK(commands(both, Kind::record) == 40 + 10);
  CHECK(commands(both, Kind::wait) == 20 + 10 + 10 + 1);
  CHECK(both.programs[0].streams == 2);
  CHECK(both.programs[2].streams == 1);
  CHECK(both.programs[2].commands.back().kind == Kind::wait);
  CHECK(both.programs[2].commands.back().value == 10);
}

TEST_CASE("stream lowering: kernels may have their own streams, and phases may run one after another", "[pure]") {
  const std::vector<WeightedTree> chain = collective::chain_from(3, 0);
  StreamOptions own = with_chunk(1280);
  own.own_kernel_streams = true;
  const StreamPlan beside = planned(TreeUse::allreduce, chain, 12'800, own);
  for (const StreamProgram& p : beside.programs) {
    std::set<int> adding, copying;
    for (const StreamCommand& c : p.commands) {
      if (c.kind == Kind::kernel) adding.insert(c.stream);
      if (c.kind == Kind::copy) copying.insert(c.stream);
    }
    for (const int stream : adding) CHECK(copying.count(stream) == 0);
  }
  StreamOptions sequential = with_chunk(1280);
  sequential.sequential_phases = true;
  const StreamPlan phases = planned(TreeUse::allreduce, chain, 12'800, sequential);
  bool down = false;  // the root's copies: each after a wait for all ten sums
  for (const StreamCommand& c : phases.programs[0].commands) {
    if (c.kind == Kind::copy) down = true;
    if (c.kind == Kind::kernel) CHECK_FALSE(down);
    if (down && c.kind == Kind::wait) CHECK(c.value == 10);
  }
  CHECK(down);
}

TEST_CASE("stream lowering: trees over one pair at one depth share a stream, in turn by weight", "[pure]") {
  // Fig. 12: both trees use 0 to 1; one carries three quarters.
  collective::Tree a = collective::path_tree(3, 0), b = a;  // 0 to 1 to 2, and 0 to 1 and 2
  b.parent[2] = 0, b.children = {{1, 2}, {}, {}};
  const std::vector<WeightedTree> trees{{a, 3, 0}, {b, 1, 1}};
  StreamOptions apart = with_chunk(128);
  apart.reuse = false;
  const StreamPlan shared = planned(TreeUse::broadcast, trees, 128 * 64, with_chunk(128));
  const StreamPlan alone = planned(TreeUse::broadcast, trees, 128 * 64, apart);
  CHECK(shared.programs[0].streams == 2);
  CHECK(alone.programs[0].streams == 3);
  std::vector<std::uint64_t> addresses;
  for (const StreamCommand& c : shared.programs[0].commands)
    if (c.kind == Kind::copy && c.peer == 3) addresses.push_back(c.source);
  REQUIRE(addresses.size() == 64);
  for (std::size_t i = 0; i < 64; i += 4) {
    int first = 0;
    for (std::size_t k = i; k < i + 4; ++k) first += addresses[k] < 48 * 128;
    CHECK(first == 3);
  }
  // Edges of one pair at different depths do not share: 1 to 2 after 0, and after 0 and 3.
  const int none = collective::no_rank;
  const collective::Tree near{{none, 0, 1, 0}, {{1, 3}, {2}, {}, {}}}, far{{none, 3, 1, 0}, {{3}, {2}, {}, {1}}};
  const StreamPlan depths = planned(TreeUse::broadcast, {{near, 1, 0}, {far, 1, 1}}, 128 * 64, with_chunk(128));
  CHECK(depths.programs[1].streams == 2);
  CHECK(depths.programs[0].streams == 2);  // both trees to 3 at one depth, and one to 1
}

TEST_CASE("stream lowering: PCIe with NVLink waits for the switch of peer access, and servers use the network", "[pure]") {
  // Seven eighths over a star of NVLinks, the rest along a PCIe chain.
  std::vector<StreamTree> trees = on_path({collective::one_hop_trees(4)[0]}, CopyPath::nvlink);
  trees[0].tree.units = 7;
  trees.push_back({collective::chain_from(4, 0)[0], CopyPath::pcie});
  trees[1].tree.group = 1;
  const JobSpec job = job_of(TreeUse::broadcast, 4);
  const StreamPlan hybrid = plan_streams(job, bytes(64'000), trees, TreeUse::broadcast, with_chunk(1024));
  for (int r = 0; r < 4; ++r) {
    bool switched = false;
    std::set<int> behind;
    for (const StreamCommand& c : hybrid.programs[at(r)].commands) {
      if (c.kind == Kind::peer_switch) {
        switched = true, behind.insert(c.stream);
        CHECK(c.value == 4);  // GPUs whose access is switched
      }
      // a wait names the GPU whose records it waits for
      const auto records = [&](const StreamCommand& other) {
        return other.kind == Kind::record && other.semaphore == c.semaphore && other.peer == job.ranks[at(r)];
      };
      const auto rank = std::find(job.ranks.begin(), job.ranks.end(), int{c.peer}) - job.ranks.begin();
      const std::vector<StreamCommand>& peers = hybrid.programs.at(static_cast<std::size_t>(rank)).commands;
      CHECK((c.kind != Kind::wait || std::any_of(peers.begin(), peers.end(), records)));
      if (c.kind == Kind::copy) CHECK((c.path == CopyPath::pcie) == (behind.count(c.stream) != 0));
    }
    CHECK(switched == (r < 3));
  }
  CHECK(StreamExecutor(job, bytes(64'000), hybrid.programs, hybrid.memory, 32, 1).run() == "");
  // Several PCIe streams of a GPU: one switches, the others wait for it.
  trees[1].tree.tree = collective::one_hop_trees(4)[0].tree;
  const StreamPlan star = plan_streams(job, bytes(64'000), trees, TreeUse::broadcast, with_chunk(1024));
  CHECK(commands(star, Kind::peer_switch) == 1);
  CHECK(StreamExecutor(job, bytes(64'000), star.programs, star.memory, 32, 1).run() == "");

  StreamOptions servers = with_chunk(1024);
  servers.server_of = {0, 0, 1, 1};
  const StreamPlan across =
      plan_streams(job_of(TreeUse::allreduce, 4), bytes(64'000), on_path(collective::chain_from_middle(4), CopyPath::nvlink),
                   TreeUse::allreduce, servers);
  for (std::size_t r = 0; r < 4; ++r)
    for (const StreamCommand& c : across.programs[r].commands)
      if (c.kind == Kind::copy || (c.kind == Kind::record && c.peer != 2 * r + 1))
        CHECK((c.path == CopyPath::network) == ((c.peer / 4 != 0) != (r / 2 != 0)));
}

TEST_CASE("stream lowering: 500 MB in chunks of 1 MB on 8 V100 have the expected messages", "[pure]") {
  for (const TreeUse use : {TreeUse::broadcast, TreeUse::allreduce}) {
    const auto trees = trees_of(topology::dgx1v(), blink_trees::all_gpus, use);
    const StreamPlan made = planned(use, trees, 500'000'000, with_chunk(1'000'000));
    CHECK(made.schedule.chunks.size() >= 500);
    std::uint64_t mailboxes = 0;
    for (std::size_t r = 0; r < 8; ++r) {
      CHECK(made.programs[r].streams <= 32);
      mailboxes += made.memory[r] - 500'000'000;
    }
    // Every edge of a tree carries one message with the tree's fraction: seven messages in all.
    if (use == TreeUse::allreduce) CHECK(std::abs(static_cast<double>(mailboxes) - 3.5e9) < 1e5);
    if (use == TreeUse::broadcast) CHECK(mailboxes == 0);
  }
}

}  // namespace tributary::test_stream_lowering
