// Tests networks of schedule NICs: the 2x2 mesh of Huang et al., ISCA 2021, Figures 3 and 5, and random trees.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <tuple>

#include "modules/base/random.h"
#include "testbench/test/harness/nic_network.h"

namespace tributary::test_nic_network {

using collective::StepTrees;
using collective::TreeEdge;

namespace {

using Op = ScheduleEntry::Op;
constexpr std::uint16_t nil = ScheduleEntry::nil;
constexpr std::uint32_t chunk = 4096;
constexpr Tick chunk_time = 16 * 17 * 1000, latency = 150'000;

ScheduleEntry up(std::uint16_t tree, std::uint16_t parent, std::uint16_t child, std::uint16_t step) {
  return {Op::reduce, tree, parent, {child, nil, nil, nil}, step, std::uint64_t{tree} * chunk, chunk};
}
ScheduleEntry down(std::uint16_t tree, std::uint16_t parent, std::uint16_t child, std::uint16_t other, std::uint16_t step) {
  return {Op::gather, tree, parent, {child, other, nil, nil}, step, std::uint64_t{tree} * chunk, chunk};
}

/// Figure 5, derived by hand from the allocations of Algorithm 1 (docs/systems/multitree.md#trees).
std::vector<NicOperation> figure_5() {
  const auto nic = [](std::vector<ScheduleEntry> e) { return NicOperation{std::move(e), 3, 3, true, ElementType::f32}; };
  return {
      nic({up(3, 1, nil, 1), up(1, 1, nil, 2), up(2, 2, 1, 2), down(0, nil, 2, 1, 3), down(2, 2, 1, nil, 4)}),
      nic({up(2, 0, nil, 1), up(0, 0, nil, 2), up(3, 3, 0, 2), down(1, nil, 3, 0, 3), down(3, 3, 0, nil, 4)}),
      nic({up(1, 3, nil, 1), up(3, 3, nil, 2), up(0, 0, 3, 2), down(2, nil, 0, 3, 3), down(0, 0, 3, nil, 4)}),
      nic({up(0, 2, nil, 1), up(2, 2, nil, 2), up(1, 1, 2, 2), down(3, nil, 1, 2, 3), down(1, 1, 2, nil, 4)}),
  };
}

NicNetwork::Config config(Lockstep kind = Lockstep::every_step) {
  NicNetwork::Config c;
  c.nic.link_rate = 16_GBps;
  c.nic.params.lockstep.kind = kind;
  c.nic.params.issue_interval = 0_ns;
  return c;
}

bool all_sums_right(const NicNetwork& net) {
  const std::uint64_t all = (std::uint64_t{1} << net.nodes()) - 1;
  for (std::size_t n = 0; n < net.nodes(); ++n)
    for (std::size_t f = 0; f < net.nodes(); ++f)
      if (net.value(n, f) != all) return false;
  return net.doubled() == 0;
}

StepTrees trees_of(std::vector<std::vector<TreeEdge>> edges) {
  StepTrees trees;
  for (std::size_t root = 0; root < edges.size(); ++root) {
    for (const TreeEdge& e : edges[root]) trees.steps = std::max(trees.steps, e.step);
    trees.nodes.push_back(static_cast<int>(root));
    trees.trees.push_back({static_cast<int>(root), std::move(edges[root]), {}});
  }
  return trees;
}

/// Builds a random tree for each root: each node under a random earlier one, none with more than four children.
StepTrees random_trees(int nodes, std::uint64_t seed) {
  std::vector<std::vector<TreeEdge>> trees(static_cast<std::size_t>(nodes));
  std::uint64_t draw = 0;
  const auto random = [&](std::uint64_t bound) { return static_cast<int>(below(random_at(seed, 1, draw++), bound)); };
  for (int root = 0; root < nodes; ++root) {
    std::vector<int> open{root};
    std::map<int, int> added, children;
    for (int i = 1; i < nodes; ++i) {
      const int child = (root + i) % nodes, place = random(open.size()), parent = open[static_cast<std::size_t>(place)];
      if (++children[parent] == 4) open.erase(open.begin() + place);
      open.push_back(child);
      added[child] = added[parent] + 1 + random(3);
      trees[static_cast<std::size_t>(root)].push_back({parent, child, added[child]});
    }
  }
  return trees_of(std::move(trees));
}

}  // namespace

TEST_CASE("the trees of Figure 3 give the tables of Figure 5", "[pure][nic]") {
  const StepTrees trees = trees_of({{{0, 2, 1}, {0, 1, 1}, {2, 3, 2}},
                                    {{1, 3, 1}, {1, 0, 1}, {3, 2, 2}},
                                    {{2, 0, 1}, {2, 3, 1}, {0, 1, 2}},
                                    {{3, 1, 1}, {3, 2, 1}, {1, 0, 2}}});
  const std::vector<NicOperation> made = all_reduce_over(trees, chunk);
  const std::vector<NicOperation> figure = figure_5();
  for (std::size_t n = 0; n < 4; ++n) {
    CHECK((made[n].reduces == 3 && made[n].gathers == 3));
    REQUIRE(made[n].entries.size() == figure[n].entries.size());
    for (std::size_t i = 0; i < figure[n].entries.size(); ++i)
      CHECK(encode(made[n].entries[i]) == encode(figure[n].entries[i]));
  }
}

TEST_CASE("on the 2x2 mesh every operand is added exactly once at every node", "[pure][nic]") {
  for (const Lockstep kind : {Lockstep::every_step, Lockstep::nop_only, Lockstep::off})
    for (const Inspection inspection : {Inspection::head, Inspection::step})
      for (const Tick wire : {Tick{0}, latency}) {
        NicNetwork::Config c = config(kind);
        c.nic.params.table.inspection = inspection;
        c.latency = wire;
        c.serialise = wire != 0;
        NicNetwork net(c, figure_5());
        CHECK(net.run() != never);
        CHECK(all_sums_right(net));
        CHECK(net.sent().size() == 4 * 6);  // each of 4 chunks crosses each edge of its tree up and down
        for (std::size_t n = 0; n < 4; ++n) CHECK(net.nic(n).waiting().empty());
      }
}

// Let C be the time of a chunk on a link, L the link's latency, A the time to add a chunk. Step 1 begins at 0, and its
// chunks are added at C + L + A. Step 2 begins at C, when the down-counter is zero; its row with a child is issued at C + L
// + A, and the root has added the chunk at 2 (C + L + A). The root's Gather reaches its children at 3 (C + L) + 2 A, and
// theirs the last node at 4 (C + L) + 2 A: chunks are added in two of the four steps.
TEST_CASE("the 2x2 mesh needs four steps of a chunk and a link latency each", "[pure][nic]") {
  constexpr Tick added = 1000;  // 1024 elements at 16384 per ns: one cycle
  NicNetwork::Config c = config();
  c.nic.params.table.inspection = Inspection::step;
  NicNetwork net(c, figure_5());
  CHECK(net.run() == 4 * (chunk_time + latency) + 2 * added);
  CHECK(net.queued() == 0);
  // In the order of Figure 5 the rows of a step that wait for no node are first, so that the head never blocks one of them.
  NicNetwork head(config(), figure_5());
  CHECK(head.run() == 4 * (chunk_time + latency) + 2 * added);
}

TEST_CASE("no link of the 2x2 mesh carries two chunks of a step, and steps are in order", "[pure][nic]") {
  NicNetwork net(config(), figure_5());
  net.run();
  std::map<std::tuple<unsigned, unsigned, unsigned>, unsigned> uses;  // by link and step
  std::map<unsigned, unsigned> latest;                                // by sender
  for (const NicNetwork::Sent& s : net.sent()) {
    CHECK(++uses[{s.from, s.to, s.step}] == 1);
    CHECK(s.step >= latest[s.from]);
    latest[s.from] = s.step;
    CHECK((s.op == Op::reduce) == (s.step <= 2));
  }
}

TEST_CASE("steps are at least as long as a chunk in lockstep, and shorter when free running", "[pure][nic]") {
  NicNetwork::Config c = config();
  c.latency = 0;
  c.serialise = false;  // data need no time: only the counters pace
  NicNetwork lockstep(c, figure_5());
  CHECK(lockstep.run() >= 3 * chunk_time);
  for (std::size_t n = 0; n < 4; ++n) {
    const std::vector<NicNetwork::Step>& steps = lockstep.steps(n);
    REQUIRE(steps.size() == 4);
    for (std::size_t i = 0; i < 4; ++i) CHECK(steps[i].step == i + 1);
    for (std::size_t i = 1; i < 4; ++i) CHECK(steps[i].when - steps[i - 1].when >= chunk_time);
  }
  c.nic.params.lockstep.kind = Lockstep::off;
  NicNetwork free(c, figure_5());
  CHECK(free.run() < chunk_time);
  CHECK((all_sums_right(lockstep) && all_sums_right(free)));
}

TEST_CASE("nothing is sent before its dependencies are met, for any timing of the links", "[pure][nic]") {
  for (const std::uint64_t seed : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u}) {
    const StepTrees trees = random_trees(12, seed);
    for (const Lockstep kind : {Lockstep::every_step, Lockstep::nop_only, Lockstep::off}) {
      NicNetwork::Config c = config(kind);
      c.nic.params.issue_interval = 1_ns;
      c.nic.params.reduction = {16, 32, 16};
      c.nic.params.memory.latency = 10_ns;
      c.jitter = 2'000'000;
      NicNetwork net(c, all_reduce_over(trees, chunk));
      CHECK(net.run() != never);
      CHECK(all_sums_right(net));
      CHECK(net.sent().size() == 2 * 12 * 11);
      for (std::size_t n = 0; n < 12; ++n) CHECK(net.reduction(n).busy_time() % 32'000 == 0);
    }
  }
}

TEST_CASE("NICs make the same decisions at the same times when run in windows", "[pure][nic]") {
  const StepTrees trees = random_trees(16, 3);
  NicNetwork::Config c = config();
  c.nic.params.issue_interval = 1_ns;
  c.jitter = 100'000;
  NicNetwork exact(c, all_reduce_over(trees, chunk));
  const Tick done = exact.run();
  c.window = latency;
  NicNetwork windows(c, all_reduce_over(trees, chunk));
  CHECK(windows.run() == done);
  CHECK(windows.sent() == exact.sent());
}

TEST_CASE("messages shorten every step by their head flits", "[pure][nic]") {
  NicNetwork::Config c = config();
  NicNetwork packets(c, figure_5());
  c.nic.flow_control.kind = FlowControl::message;
  NicNetwork messages(c, figure_5());
  CHECK(packets.run() - messages.run() == 4 * 15'000);  // 16 packets: 15 head flits of 1 ns
  CHECK(all_sums_right(messages));
}

TEST_CASE("with a smaller NI buffer steps begin earlier, and chunks queue", "[pure][nic]") {
  NicNetwork::Config c = config();
  c.nic.params.lockstep.buffer = 100_B * 16;  // the chunk has 272 flits
  c.latency = 0;
  NicNetwork net(c, figure_5());
  net.run();
  for (std::size_t n = 0; n < 4; ++n)
    for (std::size_t i = 1; i < 4; ++i) CHECK(net.steps(n)[i].when - net.steps(n)[i - 1].when >= 172'000);
  CHECK(net.steps(0)[1].when == 172'000);
  CHECK(all_sums_right(net));
}

TEST_CASE("reduce-scatter and all-gather are the two halves of the same tables", "[pure][nic]") {
  std::vector<NicOperation> scatter = figure_5(), all_gather = figure_5();
  for (std::size_t n = 0; n < 4; ++n) {
    const auto is = [](Op op) { return [op](const ScheduleEntry& e) { return e.op == op; }; };
    std::vector<ScheduleEntry>&s = scatter[n].entries, &g = all_gather[n].entries;
    s.erase(std::remove_if(s.begin(), s.end(), is(Op::gather)), s.end());
    g.erase(std::remove_if(g.begin(), g.end(), is(Op::reduce)), g.end());
    scatter[n].gathers = 0;
    all_gather[n].reduces = 0;
    all_gather[n].reduction = false;
  }
  NicNetwork first(config(), scatter), second(config(), all_gather);
  CHECK((first.run() != never && second.run() != never));
  for (std::size_t n = 0; n < 4; ++n) {
    CHECK(first.value(n, n) == 15);
    for (std::size_t f = 0; f < 4; ++f) CHECK(second.value(n, f) == std::uint64_t{1} << f);
  }
  CHECK(first.doubled() == 0);
}

// Without the Reduce of tree 0 from nic3, nic2 issues its first two rows, which have no children, and the third waits, as
// its Reduce of tree 0 has nic3 as its child. nic0 thus has issued its three Reduces, and of the children of its own tree,
// nic2 and nic1, only nic1 has sent.
TEST_CASE("when a chunk never arrives, waiting() names it", "[pure][nic]") {
  std::vector<NicOperation> tables = figure_5();
  tables[3].entries.erase(tables[3].entries.begin());  // nic3 does not reduce tree 0 to nic2
  NicNetwork net(config(), std::move(tables));
  CHECK(net.run() == never);
  CHECK_THAT(net.nic(2).waiting().front(),
             Catch::StartsWith("schedule: entry 3 of 5, reduce of tree 0 in step 2, waits for the reduces of nic3 @"));
  CHECK_THAT(net.nic(0).waiting().front(),
             Catch::StartsWith("schedule: entry 4 of 5, gather of tree 0 in step 3, waits for the reduces of nic2 @"));
}

}  // namespace tributary::test_nic_network
