/// Sends of a schedule that must be acknowledged before their chunk is written again.
#include <algorithm>
#include <catch2/catch.hpp>

#include "testbench/collective/algorithm/machines.h"
#include "testbench/collective/algorithm/software.h"
#include "testbench/collective/schedule/acknowledged_sends.h"
#include "testbench/collective/schedule/pipelining.h"
#include "testbench/collective/schedule/symbolic.h"

namespace tributary::test_acknowledged_sends {

using namespace tributary::collective;

namespace {

using K = OperationKind;
using Marks = std::vector<std::vector<bool>>;

Operation op(K kind, int id, int peer, std::vector<int> deps, int chunk = 0) {
  return {kind, id, peer, chunk, 0, 0, std::move(deps)};
}

Marks marks(std::vector<std::vector<Operation>> programs) {
  const auto ranks = static_cast<int>(programs.size());
  return acknowledged_sends(fuse({"test", ranks, 2, 1, std::move(programs)}, false));
}

}  // namespace

TEST_CASE("acknowledged sends: a send needs the ACK if its chunk is added to after it has been read", "[pure]") {
  // Rank 2 sends without a message from rank 1, to which rank 0 may still have to resend its chunk.
  const Marks found = marks({{op(K::send, 0, 1, {}), op(K::receive, 1, 2, {}), op(K::reduce, 2, 2, {0, 1})},
                             {op(K::receive, 0, 0, {}), op(K::reduce, 1, 0, {0})},
                             {op(K::send, 0, 0, {})}});
  CHECK(found == Marks{{true, false}, {false}, {false}});
}

TEST_CASE("acknowledged sends: a send needs no ACK if a message proves that the chunk has arrived", "[pure]") {
  // Rank 1 has the chunk before rank 2 sends.
  const Marks reduced = marks({{op(K::send, 0, 1, {}), op(K::receive, 1, 2, {}), op(K::reduce, 2, 2, {0, 1})},
                               {op(K::receive, 0, 0, {}), op(K::reduce, 1, 0, {0}), op(K::send, 2, 2, {1})},
                               {op(K::receive, 0, 1, {}), op(K::reduce, 1, 1, {0}), op(K::send, 2, 0, {1})}});
  CHECK(reduced == Marks{{false, false}, {false, false}, {false, false}});
  // Rank 1 has the chunk, but sends before it checks.
  const Marks early = marks({{op(K::send, 0, 1, {}), op(K::receive, 1, 1, {}), op(K::reduce, 2, 1, {0, 1})},
                             {op(K::send, 0, 0, {}), op(K::receive, 1, 0, {}), op(K::reduce, 2, 0, {1})}});
  CHECK(early == Marks{{true, false}, {true, false}});
}

TEST_CASE("acknowledged sends: packets of the sender may overwrite a chunk", "[pure]") {
  // The packets arrive when rank 1 has the chunk (everything has been taken before it sends), or before rank 0 waits for
  // them.
  const Marks told = marks({{op(K::send, 0, 1, {}), op(K::receive, 1, 1, {}), op(K::copy, 2, 1, {0, 1})},
                            {op(K::receive, 0, 0, {}), op(K::reduce, 1, 0, {0}), op(K::send, 2, 0, {1})}});
  CHECK(told == Marks{{false, false}, {false, false}});
  const Marks not_told =
      marks({{op(K::send, 0, 1, {}), op(K::send, 1, 2, {0}, 1), op(K::receive, 2, 2, {}), op(K::copy, 3, 2, {0, 2})},
             {op(K::receive, 0, 0, {}), op(K::reduce, 1, 0, {0})},
             {op(K::receive, 0, 0, {}, 1), op(K::reduce, 1, 0, {0}, 1), op(K::send, 2, 0, {1})}});
  CHECK(not_told == Marks{{true, false, false}, {false}, {false, false}});
}

TEST_CASE("acknowledged sends: messages confirm all sends of the software algorithms", "[pure]") {
  for (const SoftwareAlgorithm& a : software_algorithms())
    for (const int ranks : {2, 3, 4, 6})
      for (const int slices : {1, 3}) {
        INFO(a.collective << " " << a.name << " " << ranks << " ranks, " << slices << " slices");
        const Schedule schedule = pipelined(a.build({ranks, 0, 4096}), slices);
        CHECK_NOTHROW(verify(schedule));
        for (const std::vector<bool>& rank : acknowledged_sends(fuse(schedule, false)))
          CHECK(std::count(rank.begin(), rank.end(), true) == 0);
      }
}

TEST_CASE("acknowledged sends: a step that passes on a chunk needs no ACK if it has stored the chunk", "[pure]") {
  const auto acknowledged = [](const FusedProgram& program) {
    std::ptrdiff_t count = 0;
    for (const std::vector<bool>& rank : acknowledged_sends(program)) count += std::count(rank.begin(), rank.end(), true);
    return count;
  };
  for (const SoftwareAlgorithm& a : software_algorithms()) {
    if (a.name != std::string("ring")) continue;
    INFO(a.collective);
    FusedProgram program = fuse(a.build({4, 0, 4096}));
    if (a.collective == std::string("allgather")) CHECK(acknowledged(program) == 0);
    if (a.collective != std::string("reduce_scatter")) continue;
    CHECK(acknowledged(program) == 4 * 2);  // two of three sums of each rank come from a mailbox
    for (std::vector<FusedStep>& rank : program.steps)
      for (FusedStep& step : rank) step.store_local = step.store_local || step.reduce;
    CHECK(acknowledged(program) == 0);
  }
}

TEST_CASE("acknowledged sends: messages confirm all sends of the algorithms among machines", "[pure]") {
  for (const auto build : {parallel_ring_allreduce, tencent_allreduce})
    for (const int machines : {2, 3, 4})
      for (const int gpus : {1, 2, 4})
        for (const int slices : {1, 3}) {
          INFO((build == tencent_allreduce ? "tencent " : "parallel_ring ") << machines << "x" << gpus);
          INFO(slices << " slices");
          const Schedule schedule = pipelined(build(machines, gpus), slices);
          CHECK_NOTHROW(verify(schedule));
          for (const std::vector<bool>& rank : acknowledged_sends(fuse(schedule, false)))
            CHECK(std::count(rank.begin(), rank.end(), true) == 0);
        }
}

}  // namespace tributary::test_acknowledged_sends
