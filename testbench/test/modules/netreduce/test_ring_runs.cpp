// Rings by chance and in step: what is lost is repaired, and each packet is accepted once (docs/systems/netreduce.md#loss).
#include <catch2/catch.hpp>

#include "modules/base/random.h"
#include "testbench/harness/ring_driver.h"

using namespace tributary;

namespace {

using ChannelKind = RingModel::ChannelKind;
using Result = RingDriver::Result;

RingModel::Config ring(unsigned ranks, unsigned window, unsigned message_packets, unsigned messages, unsigned racks = 1) {
  RingModel::Config c;
  c.ranks = ranks;
  c.racks = racks;
  c.window = window;
  c.message_packets = message_packets;
  c.messages = messages;
  return c;
}

bool sound(const Result& r) { return r.finished && r.exactly_once && r.tags_rise && r.wrong == 0; }

/// A shape of H 2 to 8, N 1 to 4, MsgLen 1 to 9, with PSNs that wrap, and rates of faults up to 20 %.
Result drawn(std::uint64_t seed, const AggregationParams& rules = {}) {
  const auto draw = [&](std::uint64_t stream, unsigned low, unsigned high) {
    return low + static_cast<unsigned>(below(random_at(seed, stream, 0), high - low + 1));
  };
  RingModel::Config c = ring(draw(1, 2, 8), draw(2, 1, 4), draw(3, 1, 9), 0);
  c.messages = 2 * c.window + 3;
  c.first_psn = Psn::add(0, -static_cast<std::int64_t>(draw(4, 0, c.messages * c.message_packets)));
  c.ack_interval = draw(5, 1, 9);
  c.rules = rules;
  c.rules.reemit = draw(6, 0, 1) == 0 ? Reemission::own : Reemission::all;
  const double loss = 0.001 * draw(7, 1, 200);
  return RingDriver(c).random(seed, {loss, loss / 2, 0.001 * draw(8, 0, 3)});
}

}  // namespace

TEST_CASE("1000 rings by chance, 0.1 to 20 % lost: all end, sums are right, each packet is accepted once",
          "[pure][netreduce][random]") {
  std::uint64_t lost = 0, duplicated = 0, timeouts = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const Result r = drawn(seed);
    INFO("seed " << seed << ", " << r.steps << " steps\n" << r.waiting);
    CHECK(sound(r));
    lost += r.lost, duplicated += r.duplicated, timeouts += r.timeouts;
  }
  CHECK((lost > 10'000 && duplicated > 1000 && timeouts > 1000));
}

TEST_CASE("without faults nothing is sent twice", "[pure][netreduce][random]") {
  for (const unsigned ranks : {2u, 6u}) {
    RingDriver driver(ring(ranks, 2, 5, 10));
    const Result r = driver.in_step({});
    CHECK((sound(r) && r.timeouts == 0));
    CHECK(driver.carried(ChannelKind::gradient) == ranks * 50);
    CHECK(driver.carried(ChannelKind::result) == ranks * 50);
    CHECK(driver.carried(ChannelKind::answer) == ranks * 10);
  }
}
