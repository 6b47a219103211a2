// All states of small rings with a bounded number of faults: no wrong sum is accepted, and an end can be reached from each
// state (docs/systems/netreduce.md#loss). The literal readings of the text are shown to fail.
#include <catch2/catch.hpp>

#include "testbench/harness/protocol_explorer.h"

namespace tributary::test_protocol_explorer {
namespace {

using Result = ProtocolExplorer::Result;

struct Shape {
  unsigned ranks, window, message_packets, messages, losses;
  unsigned early_timeouts = 0, room = 0, racks = 1, duplicates = 0;
  CtLearning learn = CtLearning::affine;
};

ProtocolExplorer::Config ring(const Shape& s, const AggregationParams& rules = {}) {
  ProtocolExplorer::Config c;
  c.ring.ranks = s.ranks;
  c.ring.racks = s.racks;
  c.ring.window = s.window;
  c.ring.message_packets = s.message_packets;
  c.ring.messages = s.messages;
  c.ring.room = s.room;
  c.ring.rules = rules;
  c.ring.learn = s.learn;
  c.losses = s.losses;
  c.early_timeouts = s.early_timeouts;
  c.duplicates = s.duplicates;
  return c;
}

AggregationParams rule(SlotRule r, SlotCount slots = SlotCount::twice_window) {
  AggregationParams p;
  p.rule = r;
  p.slots = slots;
  return p;
}

Result explore(const ProtocolExplorer::Config& config) {
  Result r = ProtocolExplorer(config).run();
  UNSCOPED_INFO(r.states << " states, " << r.steps << " steps, " << r.ends << " ends, " << r.stuck << " stuck, " << r.wrong
                         << " wrong");
  CHECK(r.complete);
  return r;
}

void check_config(const ProtocolExplorer::Config& config) {
  const Result r = explore(config);
  std::string path = "to the first stuck state:\n";
  for (const std::string& step : r.to_stuck) path += step + "\n";
  path += r.waiting + "to the first wrong sum:\n";
  for (const std::string& step : r.to_wrong) path += step + "\n";
  INFO(path);
  CHECK(r.ends > 0);
  CHECK(r.stuck == 0);
  CHECK(r.wrong == 0);
}
void check_sound(const Shape& s) { check_config(ring(s)); }

bool sticks(const Shape& s, const AggregationParams& rules) { return explore(ring(s, rules)).stuck > 0; }

}  // namespace

TEST_CASE("explorer: three losses and an early timeout", "[pure][netreduce][explorer]") { check_sound({2, 1, 1, 4, 3, 1}); }

TEST_CASE("explorer: three ranks", "[pure][netreduce][explorer]") { check_sound({3, 1, 1, 3, 2}); }

TEST_CASE("explorer: messages of two packets", "[pure][netreduce][explorer]") { check_sound({2, 1, 2, 3, 2}); }

TEST_CASE("explorer: a window of two messages", "[pure][netreduce][explorer]") {
  check_sound({2, 2, 1, 4, 1});
  check_sound({2, 2, 2, 4, 1, 0, 1});
}

// Leaves learn their connections from first packets and notifications, which can be lost, too.
TEST_CASE("explorer: two leaves and a spine", "[pure][netreduce][explorer]") {
  check_sound({2, 1, 1, 3, 1, 0, 0, 2});
  check_sound({2, 1, 1, 3, 1, 0, 1, 2, 0, CtLearning::per_message});
}

TEST_CASE("explorer: a packet or an answer that arrives twice", "[pure][netreduce][explorer]") {
  check_sound({2, 1, 1, 3, 2, 0, 0, 1, 1});
  check_sound({2, 1, 1, 2, 1, 0, 1, 2, 1});
}

TEST_CASE("explorer: message numbers wrap", "[pure][netreduce][explorer]") {
  ProtocolExplorer::Config c = ring({2, 1, 1, 3, 2, 1});
  c.ring.first_message = 0xFFFFFFFE;
  check_config(c);
}

TEST_CASE("explorer: larger, two early timeouts", "[.slow][netreduce]") { check_sound({2, 1, 1, 4, 3, 2}); }
TEST_CASE("explorer: larger, three ranks", "[.slow][netreduce]") {
  check_sound({3, 1, 1, 3, 1, 1});
  check_sound({3, 1, 2, 3, 1, 0, 2});
}
TEST_CASE("explorer: larger, messages of two packets", "[.slow][netreduce]") { check_sound({2, 1, 2, 3, 1, 1, 2}); }
TEST_CASE("explorer: larger, a window of two messages", "[.slow][netreduce]") { check_sound({2, 2, 1, 5, 1}); }
TEST_CASE("explorer: larger, a spine", "[.slow][netreduce]") {
  check_sound({2, 1, 1, 3, 2, 0, 1, 2});
  check_sound({2, 1, 1, 3, 1, 0, 0, 2, 0, CtLearning::per_message});
}
TEST_CASE("explorer: larger, a spine and packets that arrive twice", "[.slow][netreduce]") {
  check_sound({2, 1, 1, 3, 1, 0, 1, 2, 1});
  check_sound({2, 1, 1, 3, 1, 0, 1, 2, 1, CtLearning::per_message});
}

TEST_CASE("explorer: rule `any` does not end after one lost result", "[pure][netreduce][explorer]") {
  CHECK_FALSE(sticks({2, 1, 1, 3, 0}, rule(SlotRule::any)));
  CHECK(sticks({2, 1, 1, 3, 1}, rule(SlotRule::any)));
  CHECK(sticks({3, 1, 1, 3, 1}, rule(SlotRule::any)));
}

TEST_CASE("explorer: rule `bit` does not end with three ranks, with two, the other rank's bit stays",
          "[pure][netreduce][explorer]") {
  CHECK_FALSE(sticks({3, 1, 1, 3, 0}, rule(SlotRule::bit)));
  CHECK_FALSE(sticks({2, 1, 1, 3, 1}, rule(SlotRule::bit)));
  CHECK(sticks({3, 1, 1, 3, 1}, rule(SlotRule::bit)));
}

TEST_CASE("explorer: N slots do not suffice", "[pure][netreduce][explorer]") {
  CHECK_FALSE(sticks({2, 1, 1, 3, 0}, rule(SlotRule::tag, SlotCount::window)));
  CHECK(sticks({2, 1, 1, 3, 1}, rule(SlotRule::tag, SlotCount::window)));
  // These rules clear their own slots, and fail without a loss.
  CHECK(sticks({2, 1, 1, 3, 0}, rule(SlotRule::any, SlotCount::window)));
  CHECK(sticks({2, 1, 1, 3, 0}, rule(SlotRule::bit, SlotCount::window)));
}

TEST_CASE("explorer: a connection's entry that moves back loses a message", "[pure][netreduce][explorer]") {
  AggregationParams last;
  last.clt_order = ConnectionOrder::last;
  const Result r = explore(ring({2, 1, 2, 3, 2, 0, 2}, last));
  CHECK((r.stuck > 0 && r.wrong == 0 && !r.to_stuck.empty() && !r.waiting.empty()));
  check_sound({2, 1, 2, 3, 2, 0, 2});
}

TEST_CASE("explorer: numbers of states in docs/systems/netreduce.md", "[pure][netreduce][explorer]") {
  const Shape shape{2, 1, 2, 3, 2};
  AggregationParams last;
  last.clt_order = ConnectionOrder::last;
  const Result back = explore(ring(shape, last)), forward = explore(ring(shape));
  CHECK((back.states == 191'799 && back.stuck == 452));
  CHECK((forward.states == 183'767 && forward.stuck == 0));
}

TEST_CASE("explorer: a range of N messages before an entry does not suffice", "[pure][netreduce][explorer]") {
  AggregationParams range;
  range.clt_range = ConnectionRange::window;
  CHECK(sticks({2, 2, 2, 4, 1, 0, 1}, range));
}

TEST_CASE("explorer: after an early timeout rules `full` and `full1` accept wrong sums, `tag` does not",
          "[pure][netreduce][explorer]") {
  const auto wrong = [](SlotRule r, bool overwrites) {
    ProtocolExplorer::Config c = ring({2, 1, 1, 4, 1, 1}, rule(r));
    c.ring.overwrites = overwrites;
    return explore(c).wrong;
  };
  CHECK(wrong(SlotRule::full1, false) > 0);
  // There are more if a result overwrites the gradient that is sent again.
  const std::uint64_t apart = wrong(SlotRule::full, false);
  CHECK((apart > 0 && wrong(SlotRule::full, true) > apart));
  CHECK((wrong(SlotRule::tag, false) == 0 && wrong(SlotRule::tag, true) == 0));
}

}  // namespace tributary::test_protocol_explorer
