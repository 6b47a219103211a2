// Tests home accumulator, address translation, issue order and progress of a GPU.
#include <catch2/catch.hpp>
#include <cstring>

#include "modules/gpu/core/address_translation.h"
#include "modules/gpu/core/issue_order.h"
#include "modules/gpu/core/partial_sums.h"
#include "modules/gpu/core/stage_progress.h"
#include "modules/protocol/nvlink.h"

namespace tributary::test_gpu_parts {
namespace {

Packet* partial(PacketPool& pool, std::uint64_t block, std::uint32_t value, unsigned count) {
  Packet* p = pool.make(block_bytes, true);
  nv(*p).address = block * block_bytes;
  nv(*p).count = static_cast<std::uint16_t>(count);
  nv(*p).type = ElementType::i32;
  for (std::size_t i = 0; i < block_bytes; i += 4) std::memcpy(p->payload + i, &value, 4);
  return p;
}

}  // namespace

TEST_CASE("partial sums give the block when their operands are complete", "[pure][gpu]") {
  PacketPool pool{NvLink{}};
  PartialSums home;
  CHECK(home.add(partial(pool, 1, 5, 5), 16) == nullptr);
  CHECK(home.add(partial(pool, 2, 100, 9), 16) == nullptr);
  CHECK(home.add(partial(pool, 1, 10, 10), 16) == nullptr);
  CHECK(home.open_blocks() == 2);
  CHECK(home.waiting() == std::vector<std::string>{"home: block 1 has 15 operands", "home: block 2 has 9 operands"});
  Packet* sum = home.add(partial(pool, 1, 1, 1), 16);
  REQUIRE(sum != nullptr);
  std::uint32_t lane;
  std::memcpy(&lane, sum->payload + 124, 4);
  CHECK(lane == 16);
  CHECK(nv(*sum).count == 16);
  sum->release();
  CHECK(home.open_blocks() == 1);
  home.reset();
  CHECK(pool.live() == 0);
}

TEST_CASE("a partial sum of all operands is complete immediately, and more operands are an error", "[pure][gpu]") {
  PacketPool pool{NvLink{}};
  PartialSums home;
  Packet* all = partial(pool, 1, 5, 4);
  CHECK(home.add(all, 4) == all);
  home.add(partial(pool, 1, 5, 3), 4);
  CHECK_THROWS_AS(home.add(partial(pool, 1, 5, 2), 4), std::logic_error);
}

TEST_CASE("network addresses are translated to local ones by ranges", "[pure][gpu]") {
  // Klenk Figure 2: a store to 0xA023 becomes base + 0x23.
  AddressTranslation t;
  t.add({0xA000, 0x400, 0xC000});
  t.add({0xA400, 0x100, 0x0});
  CHECK(t.local(0xA023) == 0xC023);
  CHECK(t.local(0xA3FF) == 0xC3FF);
  CHECK(t.local(0xA400) == 0x0);
  CHECK_THROWS_AS(t.local(0x9FFF), std::out_of_range);
  CHECK_THROWS_AS(t.local(0xA500), std::out_of_range);
  t.clear();
  CHECK_THROWS_AS(t.local(0xA023), std::out_of_range);
}

TEST_CASE("issue orders are parsed and printed", "[pure][gpu]") {
  using Text = ParameterText<IssueOrder>;
  CHECK(Text::parse("linear").window == 0);
  CHECK(Text::parse("shuffled:4096").window == 4096);
  CHECK(Text::print(Text::parse("shuffled:2")) == "shuffled:2");
  CHECK(Text::print(Text::parse("linear")) == "linear");
  CHECK(Text::parse("shuffled:16777216").window == 16'777'216);
  for (const char* bad : {"", "random", "shuffled", "shuffled:", "shuffled:1", "shuffled:0", "shuffled:-4",
                          "shuffled:16777217", "shuffled:4x", "shuffled: 4", "Linear"})
    CHECK_THROWS_AS(Text::parse(bad), std::invalid_argument);
}

TEST_CASE("every block of a stage arrives once", "[pure][gpu]") {
  DmaStage stage;
  stage.message = {0, 100 * 128 - 60};
  stage.arrivals = 100;
  StageProgress p(stage);
  for (std::uint64_t b = 100; b > 0; --b) {
    CHECK_FALSE(p.over());
    p.arrived(b - 1, 1000 + b % 7);
  }
  CHECK(p.over());
  CHECK(p.last() == 1006);
  StageProgress twice(stage);
  twice.arrived(64, 0);
  CHECK_THROWS_AS(twice.arrived(64, 1), std::logic_error);
  CHECK(twice.remaining() == 99);
}

TEST_CASE("a message is cut into blocks, and the last one may be short", "[pure][gpu]") {
  const BlockRange r{0x1000, 300};
  CHECK(r.blocks() == 3);
  CHECK((r.length(0) == 128 && r.length(1) == 128 && r.length(2) == 44));
  CHECK(r.address(2) == 0x1100);
  CHECK(r.block_of(0x117F) == 2);
  CHECK((r.holds(0x1000) && r.holds(0x117F)));
  CHECK_FALSE((r.holds(0xFFF) || r.holds(0x1180)));
  CHECK(BlockRange{0, 0}.blocks() == 0);
}

TEST_CASE("a slice of a message may end before the message does", "[pure][gpu]") {
  DmaStage s;
  s.message = {0, 1000};
  s.first_block = 2;
  CHECK((s.length(2) == 128 && s.length(7) == 104));  // limited by the end of the message
  s.share_bytes = 200;
  CHECK((s.length(2) == 128 && s.length(3) == 72));
  CHECK(cut_block(128, 4, 0) == 4);
}

}  // namespace tributary::test_gpu_parts
