/// Bounds compared with calculations by hand. A GPU has 6 x 25 = 150 GB/s per direction; a block is 128 B in a packet of
/// 144 B.
#include <catch2/catch.hpp>
#include <stdexcept>

#include "testbench/family/nvswitch/bound.h"

namespace tributary::test_bound {

using namespace tributary::collective;

namespace {

/// Ranks on the first GPUs; p <= 8 ranks are all on board 0.
BoundInput dgx2_of(int p, AckMode acks = AckMode::separate, Bytes message = 16_MiB) {
  BoundInput in;
  for (int r = 0; r < p; ++r) in.boards.push_back(r / 8);
  in.message = message;
  in.acks = acks;
  return in;
}

BoundInput split(int on_board_0, int on_board_1) {
  BoundInput in = dgx2_of(2);
  in.boards.assign(static_cast<std::size_t>(on_board_0), 0);
  in.boards.insert(in.boards.end(), static_cast<std::size_t>(on_board_1), 1);
  return in;
}

/// GPU links fast enough that the 48 trunks are the bottleneck: 1200 GB/s per direction.
BoundInput trunk_limited(BoundInput in) {
  in.links_per_gpu = 1000000;
  return in;
}

Approx near(double x) { return Approx(x).epsilon(1e-4); }

}  // namespace

TEST_CASE("bound: push has the calculated bounds", "[pure]") {
  // Out of a GPU 144 (operand) + 16 (ack of the result) = 160 B per 128 B: 150 x 128 / 160 = 120, for any p.
  for (const int p : {2, 4, 8, 9, 16}) CHECK(push_bound_GBps(dgx2_of(p)) == near(120));
  // Without acks 150 x 128 / 144 = 133.33.
  CHECK(push_bound_GBps(dgx2_of(16, AckMode::none)) == near(133.3333));
  // Half the link rate, half the bound.
  BoundInput slow = dgx2_of(16);
  slow.link_rate = bytes_per_second(12'500'000'000);
  CHECK(push_bound_GBps(slow) == near(60));
}

TEST_CASE("bound: pull has the calculated bounds", "[pure]") {
  // Into a GPU per 128 B: (16(p-1) PULLs + 144 result + 144(p-1) copies + 16(p-1) acks) / p:
  CHECK(pull_bound_GBps(dgx2_of(2)) == near(120));        // 160, the same as out of the GPU
  CHECK(pull_bound_GBps(dgx2_of(4)) == near(114.2857));   // 168
  CHECK(pull_bound_GBps(dgx2_of(8)) == near(111.6279));   // 172
  CHECK(pull_bound_GBps(dgx2_of(16)) == near(110.3448));  // 174
  // Without acks 144 + 15 = 159 B at p = 16; at p = 2 it is 144 + 8 = 152 in both directions.
  CHECK(pull_bound_GBps(dgx2_of(16, AckMode::none)) == near(120.7547));
  CHECK(pull_bound_GBps(dgx2_of(2, AckMode::none)) == near(126.3158));
  // Merged: one ack returns for each block of the own slice: 144 + 15 + 1 = 160 B, the same as out of the GPU.
  for (const int p : {4, 8, 16}) CHECK(pull_bound_GBps(dgx2_of(p, AckMode::merged)) == near(120));
}

TEST_CASE("bound: the ring has the calculated bounds", "[pure]") {
  // 2(p-1)/p x 160 B per 128 B in each direction: 120 / (2(p-1)/p).
  CHECK(ring_bound_GBps(dgx2_of(2)) == near(120));
  CHECK(ring_bound_GBps(dgx2_of(4)) == near(80));
  CHECK(ring_bound_GBps(dgx2_of(8)) == near(68.5714));
  CHECK(ring_bound_GBps(dgx2_of(16)) == near(64));
  CHECK(ring_bound_GBps(dgx2_of(16, AckMode::none)) == near(71.1111));  // 133.33 / 1.875
}

TEST_CASE("bound: a broadcast has the calculated bounds", "[pure]") {
  // Out of the root 144 B per 128 B; into it 16(p-1) B of acks, 240 B at p = 16: 150 x 128 / 240 = 80.
  CHECK(broadcast_bound_GBps(dgx2_of(16), 0) == near(80));
  CHECK(broadcast_bound_GBps(dgx2_of(10), 3) == near(133.3333));  // 9 x 16 = 144: even
  CHECK(broadcast_bound_GBps(dgx2_of(11), 3) == near(120));       // 160
  CHECK(broadcast_bound_GBps(dgx2_of(2), 1) == near(133.3333));
  CHECK(broadcast_bound_GBps(dgx2_of(16, AckMode::none), 0) == near(133.3333));
}

TEST_CASE("bound: the acks of the last waves of a broadcast arrive after the result", "[pure]") {
  BoundInput in = dgx2_of(16, AckMode::separate, 256_KiB);
  in.window = 128_KiB;  // half of the acks: 120 B into the root, 144 B out of it
  CHECK(broadcast_bound_GBps(in, 0) == near(133.3333));
  in.window = 64_KiB;  // 180 B
  CHECK(broadcast_bound_GBps(in, 0) == near(150 * 128 / 180.0));
  in.window = 1_MiB;
  CHECK(broadcast_bound_GBps(in, 0) == near(133.3333));
}

/// The fat tree: 16 groups of 8; a plane has 16 leaves and 8 spines.
static BoundInput fat_tree_of(int p, int per_group) {
  BoundInput in = dgx2_of(2);
  in.boards.clear();
  for (int r = 0; r < p; ++r) in.boards.push_back(r / per_group);
  in.board_count = 16;
  in.plane_switches = 24;
  return in;
}

TEST_CASE("bound: GPU links are the bottleneck of a fat tree", "[pure]") {
  // GPU links are the bottleneck; values of docs/systems/klenk.md#bounds.
  for (const int p : {64, 128}) CHECK(push_bound_GBps(fat_tree_of(p, 8)) == near(120));
  CHECK(pull_bound_GBps(fat_tree_of(64, 8)) == near(109.4017));   // 175.5 B
  CHECK(pull_bound_GBps(fat_tree_of(128, 8)) == near(109.2461));  // 175.75 B
  CHECK(ring_bound_GBps(fat_tree_of(64, 8)) == near(120 / (2 * 63 / 64.0)));
  CHECK(ring_bound_GBps(fat_tree_of(128, 8)) == near(120 / (2 * 127 / 128.0)));
}

TEST_CASE("bound: a leaf group has 48 x 25 = 1200 GB/s per direction to the spines", "[pure]") {
  // Push, 128: up 8 x 160 x 23/24 + 144 / 24 = 1232.67 B per 128 B (96.3 % at 120 GB/s).
  CHECK(push_bound_GBps(trunk_limited(fat_tree_of(128, 8))) == near(1200 * 128 / (8 * 160 * 23 / 24.0 + 6)));
  // 32 GPUs, 2 per group: up 2 x 160 x 23/24 + 6, down 30 x 160 / 24 + 144 x 23/24 = 338 B.
  CHECK(push_bound_GBps(trunk_limited(fat_tree_of(32, 2))) == near(1200 * 128 / 338.0));
  // Pull, 128: up 1/16 x 160 + 15/16 x (144 + 8 x 16) = 265 B; down 15/16 x 160 + 1/16 x (144 + 120 x 16) = 279 B.
  CHECK(pull_bound_GBps(trunk_limited(fat_tree_of(128, 8))) == near(1200 * 128 / 279.0));
  // Ring: one edge leaves each group.
  CHECK(ring_bound_GBps(trunk_limited(fat_tree_of(128, 8))) == near(1200 * 128 / (2 * 127 / 128.0 * 160)));
  CHECK(broadcast_bound_GBps(trunk_limited(fat_tree_of(128, 8)), 9) == near(1200 * 128 / (120 * 16.0)));
}

TEST_CASE("bound: small messages include whole flits and headers", "[pure]") {
  // 4 B: one packet of 16 + 16 B, and an ack of 16 B: 150 x 4 / 48 = 12.5.
  CHECK(push_bound_GBps(dgx2_of(16, AckMode::separate, 4_B)) == near(12.5));
  CHECK(push_bound_GBps(dgx2_of(16, AckMode::none, 4_B)) == near(18.75));  // 150 x 4 / 32
  // 132 B: packets of 144 and 32 B, two acks: 150 x 132 / 208.
  CHECK(push_bound_GBps(dgx2_of(16, AckMode::separate, 132_B)) == near(95.1923));
  // Into a GPU at p = 2: W = 176, one PULL, one ack on average: 150 x 132 / (176 + 16 + 16).
  CHECK(pull_bound_GBps(dgx2_of(2, AckMode::separate, 132_B)) == near(95.1923));
  // 2 x 3/4 x (176 + 32) = 312 B: 150 x 132 / 312.
  CHECK(ring_bound_GBps(dgx2_of(4, AckMode::separate, 132_B)) == near(63.4615));
  // p = 16: 15 x 32 B of acks = 480 B against 176 B: 150 x 132 / 480.
  CHECK(broadcast_bound_GBps(dgx2_of(16, AckMode::separate, 132_B), 0) == near(41.25));
}

TEST_CASE("bound: the boards have 48 x 25 = 1200 GB/s per direction between them", "[pure]") {
  // Push, 8 + 8: half of the blocks have their home on the other board: 8 x 160 / 2 = 640 B; results of the other half 72
  // B: 712 B per 128 B.
  CHECK(push_bound_GBps(trunk_limited(split(8, 8))) == near(1200 * 128 / 712.0));
  // 3 + 1: board 0 sends 3 x 80 + 72 = 312 B.
  CHECK(push_bound_GBps(trunk_limited(split(3, 1))) == near(1200 * 128 / 312.0));
  // One board only: operands and acks still go to the homes on the other board, 8 x 80 B; 72 B of results return.
  CHECK(push_bound_GBps(trunk_limited(split(8, 0))) == near(1200 * 128 / 640.0));
  CHECK(push_bound_GBps(trunk_limited(split(0, 8))) == near(1200 * 128 / 640.0));
  // Pull, 8 + 8: half of the blocks are owned on this board: (16 + 144) / 2 = 80 B of PULLs and MC_WRITEs; the other half:
  // responses and acks (144 + 8 x 16) / 2 = 136 B.
  CHECK(pull_bound_GBps(trunk_limited(split(8, 8))) == near(1200 * 128 / 216.0));
  // 3 + 1: from board 0: 3/4 x 160 + 1/4 x (144 + 3 x 16) = 168 B; from board 1: 1/4 x 160 + 3/4 x 160 = 160 B.
  CHECK(pull_bound_GBps(trunk_limited(split(3, 1))) == near(1200 * 128 / 168.0));
  // Ring, 8 + 8: one edge per direction, with data of one edge and acks of the other: 1.875 x 160 B = 300 B.
  CHECK(ring_bound_GBps(trunk_limited(split(8, 8))) == near(1200 * 128 / 300.0));
  // Alternating boards, 0 1 0 1: two edges per direction: 2 x 1.5 x 160 B.
  BoundInput in_turn = trunk_limited(split(2, 2));
  in_turn.boards = {0, 1, 0, 1};
  CHECK(ring_bound_GBps(in_turn) == near(1200 * 128 / 480.0));
  // Broadcast, 8 + 8: 144 B to the other board, 8 x 16 B of acks back.
  CHECK(broadcast_bound_GBps(trunk_limited(split(8, 8)), 0) == near(1200 * 128 / 144.0));
}

TEST_CASE("bound: the trunks are never the bottleneck of a DGX-2", "[pure]") {
  for (int a = 0; a <= 8; ++a)
    for (int b = a < 2 ? 2 - a : 0; b <= 8; ++b) {
      BoundInput in = split(a, b), wide = in;
      wide.trunks = 1000000;
      CHECK(push_bound_GBps(in) == push_bound_GBps(wide));
      CHECK(pull_bound_GBps(in) == pull_bound_GBps(wide));
      CHECK(ring_bound_GBps(in) == ring_bound_GBps(wide));
      CHECK(broadcast_bound_GBps(in, 0) == broadcast_bound_GBps(wide, 0));
    }
}

TEST_CASE("bound: requests without a bound are rejected", "[pure]") {
  CHECK_THROWS_AS(push_bound_GBps(dgx2_of(1)), std::invalid_argument);
  CHECK_THROWS_AS(ring_bound_GBps(dgx2_of(4, AckMode::separate, 0_B)), std::invalid_argument);
  CHECK_THROWS_AS(pull_bound_GBps(dgx2_of(17)), std::invalid_argument);  // board 2
  CHECK_THROWS_AS(broadcast_bound_GBps(dgx2_of(4), 4), std::invalid_argument);
  BoundInput no_switches = dgx2_of(4);
  no_switches.plane_switches = 1;
  CHECK_THROWS_AS(push_bound_GBps(no_switches), std::invalid_argument);
  BoundInput no_links = dgx2_of(4);
  no_links.links_per_gpu = 0;
  CHECK_THROWS_AS(push_bound_GBps(no_links), std::invalid_argument);
}

}  // namespace tributary::test_bound
