/// Trees over several servers (docs/systems/blink.md#several-servers).
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "testbench/codegen/stream_lowering.h"
#include "testbench/collective/packing/three_phases.h"
#include "testbench/collective/schedule/schedule.h"
#include "testbench/test/harness/blink_trees.h"
#include "testbench/test/harness/stream_executor.h"

namespace tributary::test_three_phases {

using namespace tributary::collective;
using blink_trees::trees_of;
using Catch::Matchers::Contains;

namespace {

constexpr std::uint64_t message = 96'000;

/// Servers with these GPUs of a DGX-1V; ranks are numbered through all servers.
std::vector<ServerTrees> servers_of(const std::vector<std::vector<int>>& gpus, TreeUse use = TreeUse::allreduce) {
  std::vector<ServerTrees> servers;
  int rank = 0;
  for (const std::vector<int>& each : gpus) {
    ServerTrees s{trees_of(topology::dgx1v(), each, use), {}, 1};
    for (std::size_t i = 0; i < each.size(); ++i) s.ranks.push_back(rank++);
    servers.push_back(std::move(s));
  }
  return servers;
}

StreamPlan planned(const char* collective, TreeUse use, const std::vector<ServerTrees>& servers,
                   std::optional<int> root_server = std::nullopt) {
  JobSpec job;
  job.collective = collective;
  job.type = ElementType::i32;
  StreamOptions options;
  options.chunk = bytes(2048);
  for (std::size_t s = 0; s < servers.size(); ++s)
    for (const int rank : servers[s].ranks) {
      job.ranks.push_back(rank);
      options.server_of.push_back(static_cast<int>(s));
    }
  const auto trees = three_phase_trees(servers, root_server);
  job.root = trees.front().tree.root();
  const StreamPlan made = plan_streams(job, bytes(message), on_path(trees, CopyPath::nvlink), use, options);
  CHECK(StreamExecutor(job, bytes(message), made.programs, made.memory, 32, 1).run() == "");
  return made;
}

/// Bytes that the GPUs of each server send to other servers, and bytes that each GPU sends within its server.
struct Traffic {
  std::map<int, double> out;
  std::map<std::pair<int, int>, double> within;
};
Traffic traffic(const StreamPlan& made, const std::vector<ServerTrees>& servers) {
  std::map<int, int> server;
  for (std::size_t s = 0; s < servers.size(); ++s)
    for (const int rank : servers[s].ranks) server[rank] = static_cast<int>(s);
  Traffic found;
  for (std::size_t r = 0; r < made.programs.size(); ++r)
    for (const StreamCommand& c : made.programs[r].commands) {
      if (c.kind != StreamCommand::Kind::copy) continue;
      const bool leaves = server[static_cast<int>(r)] != server[c.peer];
      CHECK((c.path == CopyPath::network) == leaves);
      if (leaves)
        found.out[server[static_cast<int>(r)]] += static_cast<double>(c.bytes);
      else
        found.within[{static_cast<int>(r), c.peer}] += static_cast<double>(c.bytes);
    }
  return found;
}

}  // namespace

TEST_CASE("three phases: with 3 and 5 GPUs, each server sends the message once", "[pure]") {
  const auto servers = servers_of({{0, 1, 2}, {0, 1, 2, 3, 4}});
  const auto trees = three_phase_trees(servers);
  CHECK(trees.size() == 2 * std::max(servers[0].trees.size(), servers[1].trees.size()));
  const StreamPlan made = planned("allreduce", TreeUse::allreduce, servers);
  const Traffic found = traffic(made, servers);
  for (const auto& [server, out] : found.out) CHECK(out == Approx(message).margin(8 * 128));
  // Within a server no link carries more than with the local trees alone.
  for (const ServerTrees& s : servers) {
    std::map<std::pair<int, int>, double> share;
    double units = 0;
    for (const WeightedTree& t : s.trees) units += static_cast<double>(t.units);
    for (const WeightedTree& t : s.trees)
      for (std::size_t i = 0; i < s.ranks.size(); ++i)
        if (t.tree.parent[i] != no_rank) {
          const int a = s.ranks[i], b = s.ranks[static_cast<std::size_t>(t.tree.parent[i])];
          share[{a, b}] += message * static_cast<double>(t.units) / units;
          share[{b, a}] += message * static_cast<double>(t.units) / units;
        }
    for (const auto& [edge, bytes] : share) CHECK(found.within.at(edge) <= bytes + 8 * 128);
  }
}

TEST_CASE("three phases: with three servers, each sends two thirds of the message twice", "[pure]") {
  const auto servers = servers_of({{0, 1, 2, 3}, {0, 3, 4}, {4, 5, 6, 7}});
  const Traffic found = traffic(planned("allreduce", TreeUse::allreduce, servers), servers);
  CHECK(found.out.size() == 3);
  for (const auto& [server, out] : found.out) CHECK(out == Approx(message * 4 / 3).margin(16 * 128));
}

TEST_CASE("three phases: local streams are shared by the trees of a partition", "[pure]") {
  const auto servers = servers_of({{0, 1, 2}, {0, 1, 2}});
  const StreamPlan made = planned("allreduce", TreeUse::allreduce, servers);
  for (std::size_t r = 0; r < 6; ++r) {
    std::set<std::tuple<int, int>> streams;  // (stream, peer)
    std::map<int, int> per_peer;
    for (const StreamCommand& c : made.programs[r].commands)
      if (c.kind == StreamCommand::Kind::copy && c.path == CopyPath::nvlink && streams.insert({c.peer, c.stream}).second)
        ++per_peer[c.peer];
    for (const auto& [peer, count] : per_peer) CHECK(count <= 2 * static_cast<int>(servers[0].trees.size()));
  }
}

TEST_CASE("three phases: unequal trees are loaded by their weights", "[pure]") {
  // Three partitions of one server meet two trees of the other, one with twice the weight of the other.
  const Tree path = path_tree(2, 0);
  const std::vector<ServerTrees> servers{{{{path, 1, 0}, {path, 1, 1}, {path, 1, 2}}, {0, 1}, 3},
                                         {{{path_tree(2, 0), 4, 0}, {path_tree(2, 1), 2, 1}}, {2, 3}, 3}};
  std::map<int, std::int64_t> carried;  // by root on the second server
  for (const WeightedTree& t : three_phase_trees(servers)) carried[t.tree.parent[3] == 2 ? 2 : 3] += t.units;
  CHECK(carried[2] == 2 * carried[3]);
}

TEST_CASE("three phases: a broadcast and a reduce have one root", "[pure]") {
  const auto servers = servers_of({{0, 1, 2}, {0, 1, 2, 3}}, TreeUse::broadcast);
  for (int s = 0; s < 2; ++s) {
    const Traffic down = traffic(planned("broadcast", TreeUse::broadcast, servers, s), servers);
    CHECK(down.out.size() == 1);
    CHECK(down.out.at(s) == message);
    const Traffic up = traffic(planned("reduce", TreeUse::reduce, servers, s), servers);
    CHECK(up.out.at(1 - s) == message);
  }
}

TEST_CASE("three phases: servers that do not fit are rejected", "[pure]") {
  const std::vector<WeightedTree> pair{{path_tree(2, 0), 1, 0}};
  CHECK_THROWS_WITH(three_phase_trees({}), Contains("there are none"));
  CHECK_THROWS_WITH(three_phase_trees({{pair, {0, 1}}, {{}, {2}}}), Contains("one has no trees"));
  CHECK_THROWS_WITH(three_phase_trees({{pair, {0, 1}}, {pair, {1, 2}}}), Contains("a rank is on no server or on two"));
  CHECK_THROWS_WITH(three_phase_trees({{pair, {0, 1, 2}}}), Contains("a tree over 2 of 3 GPUs"));
}

}  // namespace tributary::test_three_phases
