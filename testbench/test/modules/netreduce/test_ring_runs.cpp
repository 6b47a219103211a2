// Random rings: losses are repaired, and each packet is accepted once (docs/systems/netreduce.md#loss).
#include <catch2/catch.hpp>
#include <utility>
#include <vector>

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

/// Returns the number of runs with one lost packet that do not end.
unsigned unfinished(ConnectionRange range, std::uint64_t runs) {
  unsigned count = 0;
  for (std::uint64_t seed = 0; seed < runs; ++seed) {
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
  std::uint64_t misses = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Draw draw{seed};
    const unsigned racks = seed % 20 == 0 ? 4 : 2 + seed % 2, hosts = seed % 20 == 0 ? 8 : racks;
    RingModel::Config c = drawn(racks * hosts, racks, draw);
    c.learn = draw(9, 0, 1) == 0 ? CtLearning::affine : CtLearning::per_message;
    const double loss = 0.001 * draw(7, 1, 100);
    RingDriver driver(c);
    const Result r = driver.random(seed, {loss, loss / 2, 0.001 * draw(8, 0, 1)});
    misses += driver.model().misses();
    INFO("seed " << seed << ", " << racks << " x " << hosts << ", " << r.steps << " steps\n" << r.waiting);
    CHECK(sound(r));
  }
  CHECK(misses > 200);  // results after lost notifications, more than one in a run
}

TEST_CASE("a lost packet can be N + 1 messages before its connection's entry", "[pure][netreduce]") {
  CHECK(unfinished(ConnectionRange::twice_window, 300) == 0);
  CHECK(unfinished(ConnectionRange::window, 300) > 0);
}

// The numbers of docs/systems/netreduce.md#addressing.
TEST_CASE("2000 random runs with one loss and a range of N messages", "[.slow][netreduce]") {
  CHECK(unfinished(ConnectionRange::twice_window, 2000) == 0);
  CHECK(unfinished(ConnectionRange::window, 2000) == 73);
}

// The numbers of docs/systems/netreduce.md#slots.
TEST_CASE("sixty runs of each slot rule under each kind of loss", "[.slow][netreduce]") {
  using Counts = std::vector<std::pair<unsigned, unsigned>>;  // runs that end, runs that accept a wrong sum
  constexpr double often = 0.1, loss = 0.02, answers = 0.2;
  constexpr std::uint64_t any_number = ~std::uint64_t{0};
  const std::vector<RingDriver::Faults> columns{{},
                                                {0, 0, 0, 1, 0, loss, 0},
                                                {0, 0, 0, any_number, loss, 0, 0},
                                                {0, 0, 0, any_number, 0, loss, 0},
                                                {0, 0, 0, any_number, loss, loss, answers},
                                                {0, 0, often, any_number, loss, loss, answers}};
  const auto counts = [&](SlotRule rule, Reemission reemit) {
    Counts row;
    for (const RingDriver::Faults& faults : columns) {
      auto& [ended, wrong] = row.emplace_back(0, 0);
      for (std::uint64_t seed = 0; seed < 60; ++seed) {
        RingModel::Config c;
        c.ranks = 4;
        c.window = 2;
        c.messages = 60;
        c.rules.rule = rule;
        c.rules.reemit = reemit;
        const Result r = RingDriver(c).random(seed, faults);
        ended += r.finished;
        wrong += r.wrong > 0;
      }
    }
    return row;
  };
  CHECK(counts(SlotRule::any, Reemission::own) == Counts{{60, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 2}, {0, 3}});
  CHECK(counts(SlotRule::bit, Reemission::own) == Counts{{60, 0}, {2, 0}, {1, 0}, {0, 0}, {0, 3}, {0, 2}});
  CHECK(counts(SlotRule::full, Reemission::own) == Counts{{60, 0}, {60, 0}, {60, 1}, {60, 1}, {60, 6}, {60, 11}});
  CHECK(counts(SlotRule::full1, Reemission::own) == Counts{{60, 0}, {60, 2}, {60, 5}, {58, 7}, {55, 34}, {49, 47}});
  CHECK(counts(SlotRule::tag, Reemission::own) == Counts(6, {60, 0}));
  CHECK(counts(SlotRule::tag, Reemission::all) == Counts(6, {60, 0}));
  CHECK(counts(SlotRule::any, Reemission::all)[2] == std::pair{56u, 4u});
  CHECK(counts(SlotRule::bit, Reemission::all)[2] == std::pair{57u, 3u});
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
