#include <catch2/catch.hpp>
#include <stdexcept>

#include "modules/tofino/core/pass_scheduler.h"

namespace tributary::test_pass_scheduler {
namespace {

PassScheduler::Config config(unsigned ports, unsigned chained = 1) {
  PassScheduler::Config c;
  c.rate = 100_Gbps;
  c.ports = ports;
  c.chained = chained;
  c.latency = 300'000;
  return c;
}

constexpr Tick byte_time = 80;  // 100 Gb/s

}  // namespace

TEST_CASE("Passes: 12 stages of 4 registers of 4 B hold 192 B", "[pure]") {
  const PassScheduler passes(config(6));
  CHECK(passes.pass_bytes() == 192);
  CHECK(passes.passes(0) == 1);
  CHECK(passes.passes(128) == 1);
  CHECK(passes.passes(192) == 1);
  CHECK(passes.passes(193) == 2);
  CHECK(passes.passes(256) == 2);
  CHECK(passes.usable_ports() == 64);
}

TEST_CASE("Passes: chained pipelines cost three of four ports", "[pure]") {
  const PassScheduler chained(config(16, 4));
  CHECK(chained.usable_ports() == 16);
  CHECK(chained.usable_share() == 0.25);
  CHECK(chained.passes(1024) == 1);
  CHECK_THROWS_AS(PassScheduler(config(17, 4)), std::invalid_argument);
  CHECK_THROWS_AS(PassScheduler(config(4, 5)), std::invalid_argument);
  CHECK_THROWS_AS(PassScheduler(config(65)), std::invalid_argument);
}

TEST_CASE("Passes: one passage runs at line rate, two at half of it", "[pure]") {
  PassScheduler passes(config(2));
  const unsigned frame = 324;
  const Tick wire = (frame + 20) * byte_time;
  Tick head = 1000;
  for (int i = 0; i < 100; ++i, head += wire) {  // with preamble and gap: the pipeline keeps up
    const auto p = passes.admit(0, frame, 1, head, head + wire);
    CHECK(p.waited == 0);
    CHECK(p.done == head + wire + 300'000);
  }
  head = 1000;
  PassScheduler::Passage last;
  for (int i = 0; i < 100; ++i, head += wire) last = passes.admit(1, frame, 2, head, head + wire);
  CHECK(last.done == 1000 + 100 * (2 * frame * byte_time) + 2 * 300'000);  // 50 Gb/s of frames
  CHECK(last.waited == 99 * (2 * frame * byte_time - wire));
  passes.reset();
  CHECK(passes.free_at(1) == 0);
}

TEST_CASE("Passes: four pipelines have four times the latency", "[pure]") {
  PassScheduler passes(config(16, 4));
  CHECK(passes.admit(3, 1106, 1, 0, 1126 * byte_time).done == 1126 * byte_time + 4 * 300'000);
}

}  // namespace tributary::test_pass_scheduler
