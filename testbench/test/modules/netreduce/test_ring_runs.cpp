// Random rings: losses are repaired, and each packet is accepted once (docs/systems/netreduce.md#loss).
#include <catch2/catch.hpp>

#include "modules/base/random.h"
#include "testbench/harness/ring_driver.h"

namespace tributary::test_ring_runs {
namespace {

using ChannelKind = RingModel::ChannelKind;
using Result = RingDriver::Result;

bool sound(const Result& r) { return r.finished && r.exactly_once && r.tags_rise && r.wrong == 0; }

/// Draws the numbers of a run's shape from its seed.
struct Draw {
  std::uint64_t seed;
  unsigned operator()(std::uint64_t what, unsigned low, unsigned high) const {
    return low + static_cast<unsigned>(below(random_at(seed, what, 0), high - low + 1));
  }
};

/// N 1 to 4, MsgLen 1 to 9, and PSNs that wrap.
RingModel::Config drawn(unsigned ranks, unsigned racks, const Draw& draw) {
  RingModel::Config c;
  c.ranks = ranks;
  c.racks = racks;
  c.window = draw(2, 1, 4);
  c.message_packets = draw(3, 1, 9);
  c.messages = 2 * c.window + 3;
  c.first_psn = Psn::add(0, -static_cast<std::int64_t>(draw(4, 0, c.messages * c.message_packets)));
  c.ack_interval = draw(5, 1, 9);
  return c;
}

/// Numbers of runs in which a wrong sum was accepted, and of runs that did not end.
struct Failures {
  unsigned wrong = 0, unfinished = 0;
};
Failures of_rule(SlotRule rule, unsigned runs) {
  Failures failures;
  for (std::uint64_t seed = 0; seed < runs; ++seed) {
    RingModel::Config c;
    c.ranks = 4;
    c.window = 2;
    c.messages = 30;
    c.rules.rule = rule;
    const Result r = RingDriver(c).random(seed, {0.02, 0, 0.1});
    failures.wrong += r.wrong > 0;
    failures.unfinished += !r.finished;
  }
  return failures;
}

}  // namespace

TEST_CASE("1000 random rings with up to 20 % loss: all end, sums are right, each packet is accepted once",
          "[pure][netreduce]") {
  std::uint64_t lost = 0, duplicated = 0, timeouts = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const Draw draw{seed};
    RingModel::Config c = drawn(draw(1, 2, 8), 1, draw);
    c.rules.reemit = draw(6, 0, 1) == 0 ? Reemission::own : Reemission::all;
    const double loss = 0.001 * draw(7, 1, 200);
    const Result r = RingDriver(c).random(seed, {loss, loss / 2, 0.001 * draw(8, 0, 3)});
    INFO("seed " << seed << ", " << r.steps << " steps\n" << r.waiting);
    CHECK(sound(r));
    lost += r.lost, duplicated += r.duplicated, timeouts += r.timeouts;
  }
  CHECK((lost > 10'000 && duplicated > 1000 && timeouts > 1000));
}

TEST_CASE("random trees of racks with up to 10 % loss", "[pure][netreduce]") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Draw draw{seed};
    const unsigned racks = seed % 20 == 0 ? 4 : 2 + seed % 2, hosts = seed % 20 == 0 ? 8 : racks;
    RingModel::Config c = drawn(racks * hosts, racks, draw);
    const double loss = 0.001 * draw(7, 1, 100);
    const Result r = RingDriver(c).random(seed, {loss, loss / 2, 0.001 * draw(8, 0, 1)});
    INFO("seed " << seed << ", " << racks << " x " << hosts << ", " << r.steps << " steps\n" << r.waiting);
    CHECK(sound(r));
  }
}

TEST_CASE("a lost packet can be N + 1 messages before its connection's entry", "[pure][netreduce]") {
  const auto unfinished = [](ConnectionRange range) {
    unsigned count = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
      RingModel::Config c;
      c.window = 2;
      c.message_packets = 3;
      c.messages = 8;
      c.rules.clt_range = range;
      const Result r = RingDriver(c).random(seed, {0.01, 0, 0, 1});
      CHECK(r.wrong == 0);
      count += !r.finished;
    }
    return count;
  };
  CHECK(unfinished(ConnectionRange::twice_window) == 0);
  CHECK(unfinished(ConnectionRange::window) > 0);
}

TEST_CASE("random runs of all rules, 2 % loss, early timeouts: only `tag` ends with right sums", "[pure][netreduce]") {
  const Failures tag = of_rule(SlotRule::tag, 200), any = of_rule(SlotRule::any, 20), bit = of_rule(SlotRule::bit, 20);
  const Failures full = of_rule(SlotRule::full, 200), full1 = of_rule(SlotRule::full1, 200);
  CHECK((tag.wrong == 0 && tag.unfinished == 0));
  CHECK((any.unfinished > 0 && bit.unfinished > 0));
  INFO(full.wrong << " and " << full1.wrong << " of 200 runs with wrong sums");
  CHECK(full.wrong > 0);
  CHECK(full1.wrong > full.wrong);
}

}  // namespace tributary::test_ring_runs
