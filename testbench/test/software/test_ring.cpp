#include <catch2/catch.hpp>

#include "testbench/collective/algorithm/ring.h"
#include "testbench/collective/schedule/fused.h"
#include "testbench/collective/schedule/pipelining.h"
#include "testbench/collective/schedule/symbolic.h"
#include "testbench/collective/schedule/without_empty_chunks.h"

namespace tributary::test_ring {

using namespace tributary::collective;

TEST_CASE("the ring is an all-reduce for any number of ranks", "[pure]") {
  for (int p = 1; p <= 64; p += p < 20 ? 1 : 11) {
    INFO(p << " ranks");
    const Schedule ring = ring_allreduce(p);
    CHECK_NOTHROW(verify_allreduce(ring));
    CHECK_NOTHROW(verify_allreduce(fuse(ring)));
  }
  CHECK_THROWS_AS(ring_allreduce(0), ScheduleError);
}

TEST_CASE("the ring sends 2(p-1)/p of the message in 2(p-1) steps", "[pure]") {
  const int p = 16;
  const Schedule ring = ring_allreduce(p);
  for (const auto& program : ring.programs) {
    int sends = 0, reduces = 0, copies = 0, last_step = 0;
    for (const Operation& o : program) {
      sends += o.kind == OperationKind::send;
      reduces += o.kind == OperationKind::reduce;
      copies += o.kind == OperationKind::copy;
      last_step = std::max(last_step, o.step);
    }
    CHECK(sends == 30);
    CHECK(reduces == 15);
    CHECK(copies == 15);
    CHECK(last_step == 29);
  }
}

TEST_CASE("a chunk travels along the ring in a broadcast and in a reduce", "[pure]") {
  for (int p = 1; p <= 17; ++p) {
    INFO(p << " ranks");
    for (const Schedule& ring : {ring_broadcast(p), ring_reduce(p)}) {
      CHECK_NOTHROW(verify(ring));
      CHECK_NOTHROW(verify(fuse(ring)));
      CHECK_NOTHROW(verify(pipelined(ring, 5)));
      int sends = 0;
      for (const auto& program : ring.programs)
        for (const Operation& o : program) sends += o.kind == OperationKind::send;
      CHECK(sends == p - 1);
    }
  }
  CHECK_THROWS_AS(ring_broadcast(0), ScheduleError);
  CHECK_THROWS_AS(ring_reduce(0), ScheduleError);
}

TEST_CASE("the ring of 3 has the operations written by hand", "[pure]") {
  // Rank 0 sends 0, 2, 1, 0 and receives 2, 1 (reduce), 0, 2 (copy), from rank 2 to rank 1.
  const Schedule ring = ring_allreduce(3);
  std::vector<int> sent, received;
  for (const Operation& o : ring.programs[0]) {
    if (o.kind == OperationKind::send) sent.push_back(o.chunk);
    if (o.kind == OperationKind::receive) received.push_back(o.chunk);
    CHECK(o.peer == (o.kind == OperationKind::send ? 1 : 2));
    CHECK(o.slot == o.step % 3);
  }
  CHECK(sent == std::vector<int>{0, 2, 1, 0});
  CHECK(received == std::vector<int>{2, 1, 0, 2});
}

TEST_CASE("the fused ring reads memory once per step and stores no unneeded partial sum", "[pure]") {
  const int p = 5;
  const FusedProgram program = fuse(ring_allreduce(p));
  for (const auto& steps : program.steps) {
    REQUIRE(steps.size() == 2 * (p - 1) + 1);  // the first step sends, the last receives, the others do both
    for (std::size_t i = 0; i < steps.size(); ++i) {
      INFO("step " << i);
      CHECK(steps[i].receive.has_value() == (i > 0));
      CHECK(steps[i].send.has_value() == (i + 1 < steps.size()));
      CHECK(steps[i].reduce == (i >= 1 && i <= p - 1));
      CHECK(steps[i].store_local == (i >= p - 1));  // the complete sum, then the chunks of the all-gather
    }
  }
}

TEST_CASE("the ring of a message of few blocks sends no empty chunk, and is still correct", "[pure]") {
  for (const int p : {2, 3, 4, 7, 16})
    for (int blocks = 1; blocks <= p; ++blocks) {
      INFO(p << " ranks, " << blocks << " blocks");
      const std::uint64_t bytes = static_cast<std::uint64_t>(blocks) * 128 - 124;
      const Schedule whole = ring_allreduce(p), ring = without_empty_chunks(whole, bytes);
      CHECK(ring.chunks == blocks);
      CHECK_NOTHROW(verify_allreduce(ring));
      CHECK_NOTHROW(verify_allreduce(fuse(ring)));
      for (int c = 0; c < blocks; ++c) {
        CHECK(ring.chunk_range(c, bytes).offset == whole.chunk_range(c, bytes).offset);
        CHECK(ring.chunk_range(c, bytes).bytes == whole.chunk_range(c, bytes).bytes);
        CHECK(ring.chunk_range(c, bytes).blocks == 1);
      }
    }
}

}  // namespace tributary::test_ring
