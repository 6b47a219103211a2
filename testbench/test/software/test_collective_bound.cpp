/// Bounds of all collectives compared with calculations by hand: 150 GB/s per GPU and direction; 144 B carry 128 B, and an
/// ack has 16 B.
#include <catch2/catch.hpp>

#include "testbench/collective/algorithm/software.h"
#include "testbench/family/nvswitch/collective_bound.h"
#include "testbench/workload/collective.h"

namespace tributary::test_collective_bound {

using namespace tributary::collective;

namespace {

BoundInput dgx2_of(int p, Bytes message = 16_MiB, AckMode acks = AckMode::separate) {
  BoundInput in;
  for (int r = 0; r < p; ++r) in.boards.push_back(r / 8);
  in.message = message;
  in.acks = acks;
  return in;
}

Parts parts(const BoundInput& in) { return {in.message.value, 4, in.boards.size()}; }

BoundInput trunk_limited(BoundInput in) {
  in.links_per_gpu = 1000000;
  return in;
}

/// Bound of a schedule whose chunks are ranges or slices.
double software(const char* collective, const char* algorithm, const BoundInput& in, int root = 0) {
  const auto p = static_cast<int>(in.boards.size());
  const Schedule s = software_schedule(collective, algorithm, p, root, in.message.value);
  std::vector<std::uint64_t> bytes;
  for (int c = 0; c < s.chunks; ++c) {
    const auto i = static_cast<std::uint64_t>(c), n = static_cast<std::uint64_t>(p);
    switch (tributary::collective_of(collective).chunking) {
      case Chunking::even:
        bytes.push_back(s.chunk_range(c, in.message.value).bytes);
        break;
      case Chunking::parts:
        bytes.push_back(parts(in).bytes(i));
        break;
      case Chunking::pairs:
        bytes.push_back(parts(in).bytes((i / n + i % n) % n));
        break;
      case Chunking::neighbors:
      case Chunking::signal:
        bytes.push_back(in.message.value);
        break;
    }
  }
  return schedule_bound_GBps(in, s, bytes);
}

Approx near(double x) { return Approx(x).epsilon(1e-4); }

}  // namespace

TEST_CASE("collective bound: all-gather by multicast has the calculated bounds", "[pure]") {
  // Per 128 B of the message, p = 16. Out of a GPU: 144/16 own slice + 15/16 x 16 acks = 24 B. Into a GPU: 15/16 x 144
  // copies + 15 acks for each of 1/16 x 16 = 150 B: 150 x 128 / 150.
  CHECK(allgather_multicast_bound_GBps(dgx2_of(16), parts(dgx2_of(16))) == near(128));
  // p = 2: out 72 + 8 = 80 B, into 72 + 8.
  CHECK(allgather_multicast_bound_GBps(dgx2_of(2), parts(dgx2_of(2))) == near(240));
  const BoundInput no_acks = dgx2_of(16, 16_MiB, AckMode::none);
  CHECK(allgather_multicast_bound_GBps(no_acks, parts(no_acks)) == near(150 * 128 / 135.0));
  // Between the boards, 8 + 8: half of the message 72 B, and 8 acks of 16 B for each block of the other half: 136 B.
  CHECK(allgather_multicast_bound_GBps(trunk_limited(dgx2_of(16)), parts(dgx2_of(16))) == near(1200 * 128 / 136.0));
}

TEST_CASE("collective bound: reduce by pull has the calculated bounds", "[pure]") {
  // Into the root, and out of every other rank, 144 B per 128 B.
  for (const int p : {2, 5, 16}) CHECK(reduce_pull_bound_GBps(dgx2_of(p), p - 1) == near(133.3333));
  // Across the boards once: 144 B.
  CHECK(reduce_pull_bound_GBps(trunk_limited(dgx2_of(16)), 3) == near(1200 * 128 / 144.0));
  CHECK_THROWS_AS(reduce_pull_bound_GBps(dgx2_of(4), 4), std::invalid_argument);
}

TEST_CASE("collective bound: reduce by push has the calculated bounds", "[pure]") {
  // Out of the root: its operands and the acks of the results, 160 B; without acks 144 B, as for every other rank.
  for (const int p : {2, 5, 16}) CHECK(reduce_push_bound_GBps(dgx2_of(p), p - 1) == near(120));
  CHECK(reduce_push_bound_GBps(dgx2_of(16, 16_MiB, AckMode::none), 0) == near(133.3333));
  // 8 + 8: operands for homes on the other board 8 x 72 B, and 72 B of results from homes on the root's board; acks 8 B in
  // the other direction.
  CHECK(reduce_push_bound_GBps(trunk_limited(dgx2_of(16)), 3) == near(1200 * 128 / 648.0));
  CHECK_THROWS_AS(reduce_push_bound_GBps(dgx2_of(4), -1), std::invalid_argument);
}

TEST_CASE("collective bound: reduce-scatter by pull has the calculated bounds", "[pure]") {
  // Out, p = 16: 1/16 x 16 requests + 15/16 x 144 responses = 136 B. Into: 144/16 + 15/16 x 16 = 24 B.
  CHECK(reduce_scatter_pull_bound_GBps(dgx2_of(16), parts(dgx2_of(16))) == near(150 * 128 / 136.0));
  CHECK(reduce_scatter_pull_bound_GBps(dgx2_of(2), parts(dgx2_of(2))) == near(240));  // 8 + 72
  // Across the boards, per direction: requests of 8 local GPUs 8 B, reduced responses to 8 remote GPUs 72 B.
  CHECK(reduce_scatter_pull_bound_GBps(trunk_limited(dgx2_of(16)), parts(dgx2_of(16))) == near(1200 * 128 / 80.0));
}

TEST_CASE("collective bound: barriers have the calculated bounds", "[pure]") {
  // 4 B: packets of 32 B. Pull, p = 16. Into: 15 requests of 16 B, 1 response of 32 B, 15 copies of 32 B, 15 acks of 16 B =
  // 992 B; out: 1 request, 15 responses, 1 copy, 15 acks = 768 B. 4 B in 992 / 150 ns.
  CHECK(barrier_pull_bound_GBps(dgx2_of(16, 4_B)) == near(150 * 4 / 992.0));
  // Flags: into a GPU 15 x 32 B and 15 x 16 B = 720 B.
  CHECK(barrier_multicast_bound_GBps(dgx2_of(16, 4_B)) == near(150 * 4 / 720.0));
  // Dissemination: four rounds of 32 + 16 B.
  CHECK(software("barrier", "dissemination", dgx2_of(16, 4_B)) == near(150 * 4 / 192.0));
}

TEST_CASE("collective bound: software all-reduces have the calculated bounds", "[pure]") {
  // The sends of the ring give the bound of its formula; 16 MiB are whole blocks for each of 16 chunks.
  CHECK(software("allreduce", "ring", dgx2_of(16)) == near(ring_bound_GBps(dgx2_of(16))));
  // Halving and doubling moves the same amount: 2 x 15/16 x 160 B.
  CHECK(software("allreduce", "halving_doubling", dgx2_of(16)) == near(64));
  // 3 ranks: each of the two cores sends 1/2 + 1/2 of the message, and rank 0 also sends all of it to its spare rank: 2 x
  // 144 + 2 x 16 B of acks.
  CHECK(software("allreduce", "halving_doubling", dgx2_of(3)) == near(60));
  // Two trees: a rank is an inner node of one tree, where it sends up and down to two children, and a leaf of the other:
  // 1/2 (1 + 2) + 1/2 = twice the message; it receives the same amount.
  CHECK(software("allreduce", "double_binary_tree", dgx2_of(16)) == near(60));
}

TEST_CASE("collective bound: other software collectives have the calculated bounds", "[pure]") {
  // A pipeline sends the message once and acks it once: 160 B.
  CHECK(software("broadcast", "ring", dgx2_of(16), 5) == near(120));
  CHECK(software("reduce", "ring", dgx2_of(16), 5) == near(120));
  // Two ranks: the sender sends no ack: 144 B.
  CHECK(software("broadcast", "ring", dgx2_of(2), 1) == near(133.3333));
  // Two trees below the root: an inner rank sends 2 x 1/2, and acks 1/2 + 1/2.
  CHECK(software("broadcast", "double_binary_tree", dgx2_of(16), 5) == near(120));
  // Into the root of a gather: 15/16 x 144 B.
  CHECK(software("gather", "direct", dgx2_of(16), 0) == near(150 * 128 / 135.0));
  // 15/16 x 160 B per direction.
  for (const char* collective : {"allgather", "reduce_scatter"})
    CHECK(software(collective, "ring", dgx2_of(16)) == near(128));
  CHECK(software("alltoall", "direct", dgx2_of(16)) == near(128));
  // Across the boards: each of 8 ranks sends 8 of 16 slices to the other board, and acks 8: 8 x 8/16 x 160 B.
  CHECK(software("alltoall", "direct", trunk_limited(dgx2_of(16))) == near(1200 * 128 / 640.0));
}

TEST_CASE("collective bound: a collective that moves no data has none", "[pure]") {
  // The only element belongs to the root.
  CHECK(schedule_bound_GBps(dgx2_of(4, 4_B), software_schedule("gather", "direct", 4, 0, 4), {0, 0, 0, 0}) == 0);
  CHECK_THROWS_AS(allgather_multicast_bound_GBps(dgx2_of(1), parts(dgx2_of(2))), std::invalid_argument);
}

TEST_CASE("slices differ by one element and begin at whole blocks", "[pure]") {
  const Parts p(1000, 4, 3);  // 250 elements: 84, 83, 83
  CHECK(p.bytes(0) == 336);
  CHECK(p.bytes(2) == 332);
  CHECK(p.first_element(1) == 84);
  CHECK(p.first_element(2) == 167);
  CHECK(p.blocks(1) == 3);
  CHECK(p.address(2) == 2 * 384);
  CHECK(p.all_bytes() == 3 * 384);
  const Parts few(4, 4, 16);
  CHECK(few.bytes(0) == 4);
  CHECK(few.bytes(1) == 0);
  CHECK(few.blocks(15) == 0);
}

}  // namespace tributary::test_collective_bound
