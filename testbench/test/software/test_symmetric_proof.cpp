/// The proof by one rank of each class: it accepts what the whole proof accepts, and nothing else.
#include <catch2/catch.hpp>
#include <functional>

#include "platforms/topology/network.h"
#include "testbench/collective/algorithm/direct.h"
#include "testbench/collective/algorithm/machines.h"
#include "testbench/collective/algorithm/network_schedule.h"
#include "testbench/collective/algorithm/ring.h"
#include "testbench/collective/algorithm/software.h"
#include "testbench/collective/schedule/direct_placement.h"
#include "testbench/collective/schedule/placed.h"
#include "testbench/collective/schedule/symbolic.h"
#include "testbench/collective/schedule/symmetric_proof.h"

namespace tributary::test_symmetric_proof {

using namespace tributary::collective;

namespace {

bool holds_at_length(const Schedule& s) {
  try {
    verify(s);
    return true;
  } catch (const ScheduleError&) {
    return false;
  }
}

bool holds_at_length(const FusedProgram& p) {
  try {
    verify(p);
    verify_direct_placement(p);
    return true;
  } catch (const ScheduleError&) {
    return false;
  }
}

std::optional<Symmetry> symmetry_of(const Schedule& s) {
  return Symmetry::find(
      [&](int rank, RankEvents& events) { return append_events(s.programs[static_cast<std::size_t>(rank)], events); },
      {s.ranks, s.chunks, s.slots, s.goals});
}

std::size_t order_of(const Schedule& s) {
  const std::optional<Symmetry> found = symmetry_of(s);
  return found ? found->order() : 1;
}

/// Damages one operation; `n` selects a value.
using Change = std::function<void(Operation& o, const Schedule& s, int n)>;
const std::vector<Change>& changes() {
  using K = OperationKind;
  static const std::vector<Change> all{
      [](Operation& o, const Schedule& s, int n) { o.chunk = (o.chunk + 1 + n) % s.chunks; },
      [](Operation& o, const Schedule& s, int n) { o.slot = (o.slot + 1 + n) % s.slots; },
      [](Operation& o, const Schedule&, int n) { o.step += 1 + n; },
      [](Operation& o, const Schedule& s, int n) { o.peer = (o.peer + 1 + n) % s.ranks; },
      [](Operation& o, const Schedule&, int) { o.deps.clear(); },
      [](Operation& o, const Schedule&, int n) {
        if (!o.deps.empty()) o.deps.erase(o.deps.begin() + n % static_cast<int>(o.deps.size()));
      },
      [](Operation& o, const Schedule&, int n) { o.deps.push_back((o.id + 1 + n) % 8); },
      [](Operation& o, const Schedule&, int) { o.deps.push_back(o.id); },
      [](Operation& o, const Schedule&, int) { o.kind = o.kind == K::reduce ? K::copy : K::reduce; },
      [](Operation& o, const Schedule&, int) { o.kind = o.kind == K::receive ? K::send : K::receive; },
      [](Operation& o, const Schedule&, int n) { o.id += n % 2 == 0 ? 1 : 1000; },
      [](Operation& o, const Schedule& s, int n) { o.chunk = n % 2 == 0 ? -1 : s.chunks; },
      [](Operation& o, const Schedule& s, int n) { o.slot = n % 2 == 0 ? -1 : s.slots; },
      [](Operation& o, const Schedule& s, int n) { o.peer = n % 2 == 0 ? -1 : s.ranks; },
  };
  return all;
}

/// Small schedules of all algorithms.
std::vector<Schedule> small_schedules() {
  std::vector<Schedule> all;
  for (const SoftwareAlgorithm& a : software_algorithms())
    for (const int ranks : {2, 4, 5}) all.push_back(a.build({ranks, 1, 40 * 1024}));
  for (const char* name : {"torus:2x3", "mesh:2x2", "bigraph:1x4"})
    for (const NetworkAlgorithm& a : network_algorithms()) {
      const topology::Network network = topology::network(name);
      const std::string algorithm = a.name;
      if (algorithm == "hdrm" ? !network.bigraph : algorithm == "ring_2d" && !network.grid) continue;
      all.push_back(network_schedule(network, {a.collective, a.name, {}}).schedule);
    }
  all.push_back(parallel_ring_allreduce(2, 2));
  return all;
}

std::string named(const Schedule& s) { return s.algorithm + " of " + std::to_string(s.ranks) + " ranks"; }

}  // namespace

TEST_CASE("symmetric proof: correct schedules with equal forms are proved", "[pure]") {
  std::size_t proved = 0;
  for (const Schedule& s : small_schedules()) {
    INFO(named(s));
    REQUIRE(holds_at_length(s));
    const std::optional<Symmetry> symmetry = symmetry_of(s);
    CHECK(holds_by_symmetry(s) == (symmetry && !s.barrier));
    for (const bool passing_on : {true, false}) {
      const FusedProgram p = fuse(s, passing_on);
      CHECK(holds_by_symmetry(p) == (holds_at_length(p) && symmetry && !s.barrier));
    }
    proved += symmetry ? 1 : 0;
  }
  CHECK(proved >= 20);
}

TEST_CASE("symmetric proof: rings and exchanges have as many renamings as ranks", "[pure]") {
  for (const int ranks : {2, 3, 8, 13}) {
    INFO(ranks << " ranks");
    for (const Schedule& s : {ring_allreduce(ranks), ring_reduce_scatter(ranks), ring_allgather(ranks),
                              direct_alltoall(ranks), direct_sendrecv(ranks)})
      CHECK(order_of(s) == static_cast<std::size_t>(ranks));
  }
  CHECK(order_of(placed(ring_allreduce(5), {3, 1, 4, 0, 2})) == 5);
  CHECK(order_of(ring_broadcast(4)) == 1);
  CHECK(order_of(direct_gather(4, 0)) == 1);
}

TEST_CASE("symmetric proof: a rank that differs in one field is found", "[pure]") {
  std::size_t wrong = 0;
  for (const Schedule& good : small_schedules()) {
    if (!symmetry_of(good)) continue;
    INFO(named(good));
    for (std::size_t r = 0; r < good.programs.size(); ++r)
      for (std::size_t i = 0; i < good.programs[r].size(); ++i)
        for (std::size_t c = 0; c < changes().size(); ++c) {
          Schedule s = good;
          changes()[c](s.programs[r][i], s, static_cast<int>(r + i));
          if (!holds_by_symmetry(s)) continue;
          INFO("rank " << r << ", operation " << i << ", change " << c);
          CHECK(holds_at_length(s));
        }
    ++wrong;
  }
  CHECK(wrong >= 20);
}

// The change keeps the form of all ranks equal, so that the proof by symmetry must find the error itself.
TEST_CASE("symmetric proof: an error of all ranks is found", "[pure]") {
  std::size_t refused = 0, accepted = 0;
  for (const Schedule& good : small_schedules()) {
    if (!symmetry_of(good) || good.barrier) continue;
    for (std::size_t i = 0; i < good.programs[0].size(); ++i)
      for (std::size_t c = 0; c < changes().size(); ++c)
        for (int n = 0; n < 3; ++n) {
          Schedule s = good;
          for (auto& program : s.programs)
            if (i < program.size()) changes()[c](program[i], s, n);
          if (!symmetry_of(s)) continue;
          INFO(named(s) << ", operation " << i << ", change " << c << " " << n);
          const bool holds = holds_at_length(s);
          CHECK(holds_by_symmetry(s) == holds);
          ++(holds ? accepted : refused);
          if (!holds) continue;
          const FusedProgram p = fuse(s, false);
          CHECK(holds_by_symmetry(p) == holds_at_length(p));
        }
  }
  CHECK(refused > 1000);
  CHECK(accepted > 100);
}

TEST_CASE("symmetric proof: lowered programs that overwrite a chunk in use are refused", "[pure]") {
  for (const int ranks : {3, 4, 6}) {
    const FusedProgram good = fuse(ring_allreduce(ranks), false);
    for (std::size_t i = 0; i < good.steps[0].size(); ++i)
      for (std::size_t d = 0; d < 3; ++d) {
        FusedProgram p = good;
        for (auto& steps : p.steps)
          if (d < steps[i].after.size()) steps[i].after.erase(steps[i].after.begin() + static_cast<std::ptrdiff_t>(d));
        CHECK(holds_by_symmetry(p) == holds_at_length(p));
        p = good;
        for (auto& steps : p.steps)
          if (steps[i].receive) steps[i].reduce = !steps[i].reduce;
        CHECK(holds_by_symmetry(p) == holds_at_length(p));
      }
  }
}

TEST_CASE("symmetric proof: programs made one at a time are those of the schedule", "[pure]") {
  for (const int ranks : {2, 5, 9}) {
    CHECK(proved_symmetry(ring_allreduce_programs(ranks))->order() == static_cast<std::size_t>(ranks));
    CHECK(proved_symmetry(ring_allgather_programs(ranks)));
    CHECK(proved_symmetry(ring_reduce_scatter_programs(ranks)));
  }
  RankPrograms spoiled = ring_allreduce_programs(8);
  spoiled.program = [good = spoiled.program](int rank) {
    std::vector<Operation> program = good(rank);
    if (rank == 5) program[9].deps.clear();
    return program;
  };
  CHECK_FALSE(proved_symmetry(spoiled));
  CHECK_FALSE(holds_at_length(whole(spoiled)));
}

}  // namespace tributary::test_symmetric_proof
