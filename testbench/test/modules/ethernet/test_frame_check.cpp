// Both kinds of frame checking give the same verdict, and checking by bytes finds information that no frame can carry.
#include <catch2/catch.hpp>
#include <string>

#include "modules/ethernet/core/frame_check.h"
#include "testbench/test/harness/frame_bytes.h"

namespace tributary::test_frame_check {

using Catch::Matchers::Contains;

TEST_CASE("marks and bytes give the same verdict", "[pure][ethernet]") {
  PacketPool pool{EthernetLink{}};
  FrameCheck marks(FrameChecking::flags, {}), bytes(FrameChecking::bytes, {});
  RandomStream random(5);
  unsigned wrong = 0, frames = 0;
  for (unsigned i = 0; i < 100; ++i)
    for (const FrameKind kind : all_frame_kinds) {
      Packet* const p = random_frame(pool, kind, random, 64);
      p->damage = static_cast<std::uint8_t>(random.below(4));
      INFO(frame_kind_names[static_cast<unsigned>(kind)] << " with damage " << unsigned{p->damage});
      const FrameDamage verdict = marks(*p);
      CHECK(bytes(*p) == verdict);
      wrong += verdict != whole, ++frames;
      p->release();
    }
  CHECK(wrong > frames / 2);
  CHECK(bytes.rendered() == frames);
  CHECK(marks.rendered() == 0);
}

TEST_CASE("checking by bytes finds information that a frame cannot carry", "[pure][ethernet]") {
  PacketPool pool{EthernetLink{}};
  FrameCheck bytes(FrameChecking::bytes, {});
  Packet* const p = make_frame(pool, FrameKind::write_first, 64, true);
  RoceHeader& h = roce(*p);
  h.tagged = 1, h.ring = 1, h.rank = 2, h.extra = 7;
  store_aggregation_header({1, 2, 7, 170}, p->payload);
  CHECK(bytes(*p) == whole);
  h.psn = 1 << 24;
  CHECK_THROWS_WITH(bytes(*p), Contains("'first'") && Contains("another header"));
  h.psn = 5, h.rank = 3;  // the payload says 2
  CHECK_THROWS_WITH(bytes(*p), Contains("PSN 5") && Contains("another header"));
  store_aggregation_header({1, 3, 7, 170}, p->payload);
  CHECK(bytes(*p) == whole);
  h.tagged = 0;  // but the data begin with the tag
  CHECK_THROWS_WITH(bytes(*p), Contains("cannot be sent: WRITE length wrong"));
  p->release();
}

}  // namespace tributary::test_frame_check
