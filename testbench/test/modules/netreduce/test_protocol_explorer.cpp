// All states of small rings within a number of faults: no wrong sum is accepted, and from each an end can be reached
// (docs/systems/netreduce.md#loss). The literal readings of the text are shown to fail.
#include <catch2/catch.hpp>

#include "testbench/harness/protocol_explorer.h"

using namespace tributary;

namespace {

using Result = ProtocolExplorer::Result;

ProtocolExplorer::Config ring(unsigned ranks, unsigned window, unsigned message_packets, unsigned messages, unsigned losses,
                              unsigned early_timeouts = 0) {
  ProtocolExplorer::Config c;
  c.ring.ranks = ranks;
  c.ring.window = window;
  c.ring.message_packets = message_packets;
  c.ring.messages = messages;
  c.losses = losses;
  c.early_timeouts = early_timeouts;
  return c;
}

Result explore(const ProtocolExplorer::Config& config) {
  Result r = ProtocolExplorer(config).run();
  std::string path = "first stuck:\n";
  for (const std::string& step : r.to_stuck) path += step + "\n";
  path += r.waiting + "first wrong:\n";
  for (const std::string& step : r.to_wrong) path += step + "\n";
  UNSCOPED_INFO(path);
  UNSCOPED_INFO(r.states << " states, " << r.steps << " steps, " << r.ends << " ends, " << r.stuck << " stuck, " << r.wrong
                         << " wrong");
  return r;
}

void check_sound(const ProtocolExplorer::Config& config) {
  const Result r = explore(config);
  CHECK(r.complete);
  CHECK(r.ends > 0);
  CHECK(r.stuck == 0);
  CHECK(r.wrong == 0);
}

}  // namespace

TEST_CASE("explorer: two ranks, one packet a message, losses and early timeouts", "[pure][netreduce][explorer]") {
  check_sound(ring(2, 1, 1, 3, 2, 1));
}

TEST_CASE("explorer: three ranks", "[pure][netreduce][explorer]") { check_sound(ring(3, 1, 1, 3, 1, 0)); }

TEST_CASE("explorer: messages of two packets", "[pure][netreduce][explorer]") {
  ProtocolExplorer::Config c = ring(2, 1, 2, 3, 2);
  c.ring.room = 2;
  check_sound(c);
}

TEST_CASE("explorer: a window of two messages", "[pure][netreduce][explorer]") { check_sound(ring(2, 2, 1, 4, 1)); }

TEST_CASE("explorer: rules `any` and `bit` never end after one lost result", "[pure][netreduce][explorer]") {
  ProtocolExplorer::Config c = ring(2, 1, 1, 3, 1);
  c.ring.rules.rule = SlotRule::any;
  CHECK(explore(c).stuck > 0);
  c.losses = 0;
  CHECK(explore(c).stuck == 0);
  c.losses = 1;
  c.ring.rules.rule = SlotRule::bit;
  CHECK(explore(c).stuck == 0);  // of two ranks the one that sends again finds the other's bit
  c.ring.ranks = 3;
  CHECK(explore(c).stuck > 0);
}

TEST_CASE("explorer: N slots instead of 2N do not suffice", "[pure][netreduce][explorer]") {
  ProtocolExplorer::Config c = ring(2, 1, 1, 3, 1);
  c.ring.rules.slots = SlotCount::window;
  CHECK(explore(c).stuck > 0);
}

TEST_CASE("explorer: a connection's entry that goes back loses messages", "[pure][netreduce][explorer]") {
  ProtocolExplorer::Config c = ring(2, 1, 2, 3, 2);
  c.ring.room = 2;
  c.ring.rules.clt_order = ConnectionOrder::last;
  const Result r = explore(c);
  CHECK((r.complete && r.stuck > 0 && r.wrong == 0));
}

TEST_CASE("explorer: rule `full` accepts wrong sums after a late duplicate", "[pure][netreduce][explorer]") {
  ProtocolExplorer::Config c = ring(2, 1, 1, 3, 1, 1);
  c.ring.rules.rule = SlotRule::full;
  CHECK(explore(c).wrong > 0);
}
