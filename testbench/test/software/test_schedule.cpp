#include <catch2/catch.hpp>

#include "testbench/collective/schedule/schedule.h"

namespace tributary::test_schedule {

using namespace tributary::collective;

TEST_CASE("chunks divide a message into whole blocks, as evenly as possible", "[pure]") {
  const auto bytes = GENERATE(as<std::uint64_t>{}, 4, 128, 132, 1024, 2048, 2052, 1000000, 16777216);
  const auto chunks = GENERATE(1, 2, 3, 7, 16);
  std::uint64_t next_block = 0, total = 0, shortest = ~0ull, longest = 0;
  for (int c = 0; c < chunks; ++c) {
    const ChunkRange range = chunk_range(c, chunks, bytes);
    CHECK(range.first_block == next_block);
    if (range.blocks != 0) CHECK(range.offset == range.first_block * 128);
    CHECK((range.bytes + 127) / 128 == range.blocks);
    next_block += range.blocks;
    total += range.bytes;
    shortest = std::min(shortest, range.blocks);
    longest = std::max(longest, range.blocks);
  }
  CHECK(total == bytes);
  CHECK(next_block == (bytes + 127) / 128);
  CHECK(longest - shortest <= 1);
}

TEST_CASE("chunks of a small message have the sizes calculated by hand", "[pure]") {
  // 260 bytes are blocks of 128, 128 and 4 bytes; four chunks: one block each, and an empty one.
  CHECK(chunk_range(0, 4, 260).bytes == 128);
  CHECK(chunk_range(2, 4, 260).offset == 256);
  CHECK(chunk_range(2, 4, 260).bytes == 4);
  CHECK(chunk_range(3, 4, 260).blocks == 0);
  CHECK(chunk_range(3, 4, 260).bytes == 0);
  // 7 blocks in 3 chunks: 3, 2, 2.
  CHECK(chunk_range(0, 3, 896).blocks == 3);
  CHECK(chunk_range(1, 3, 896).first_block == 3);
  CHECK(chunk_range(2, 3, 896).first_block == 5);
  CHECK(chunk_range(0, 2, 0).blocks == 0);
  CHECK_THROWS_AS(chunk_range(4, 4, 260), ScheduleError);
  CHECK_THROWS_AS(chunk_range(-1, 4, 260), ScheduleError);
}

}  // namespace tributary::test_schedule
