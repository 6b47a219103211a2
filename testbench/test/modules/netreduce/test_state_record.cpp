// StateRecord: slots of an accelerator (Liu et al., 3.1, 4; docs/systems/netreduce.md#slots).
#include <catch2/catch.hpp>

#include "modules/netreduce/core/state_record.h"

namespace tributary::test_state_record {
namespace {

using Arrival = StateRecord::Arrival;
using Emission = StateRecord::Emission;

StateRecord::Config config(unsigned ranks, SlotRule rule = SlotRule::tag) {
  StateRecord::Config c;
  c.ranks = ranks;
  c.message_packets = 3;
  c.rules.rule = rule;
  return c;
}

/// All ranks except `without` send packet 0 of a message.
void fill(StateRecord& s, std::uint32_t message, unsigned ranks, unsigned without = ~0u) {
  for (unsigned r = 0; r < ranks; ++r)
    if (r != without) s.arrive(message, 0, r, 0);
}

}  // namespace

TEST_CASE("a slot is (MsgID mod 2N) MsgLen + offset", "[pure][netreduce]") {
  StateRecord s(config(2));
  CHECK((s.size() == 12 && s.slot_of(0, 0) == 0 && s.slot_of(3, 2) == 11 && s.slot_of(6, 1) == 7));
  StateRecord::Config c = config(2);
  c.rules.slots = SlotCount::window;
  CHECK((StateRecord(c).size() == 6 && StateRecord(c).slot_of(3, 2) == 5));
  c.message_packets = 170;
  c.rules.slots = SlotCount::twice_window;
  CHECK(StateRecord(c).size() == 680);
}

TEST_CASE("the last rank's packet completes a slot, and the sum is sent to all", "[pure][netreduce]") {
  StateRecord s(config(3));
  auto v = s.arrive(5, 2, 1, 0);
  CHECK((v.arrival == Arrival::stored && v.emission == Emission::none && v.store && v.slot == 5));
  v = s.arrive(5, 2, 1, 0);
  CHECK((v.arrival == Arrival::stored && v.store));  // overwritten with the same data
  s.arrive(5, 2, 0, 0);
  CHECK((s.filling() == 1 && s.full() == 0));
  v = s.arrive(5, 2, 2, 0);
  CHECK((v.arrival == Arrival::completed && v.emission == Emission::all && v.store && s.done(5)));
  CHECK((s.filling() == 0 && s.full() == 1 && s.tag(5) == 5));
}

TEST_CASE("a packet for a full slot gets its sum again, an older one nothing, and a newer one replaces the slot",
          "[pure][netreduce]") {
  for (const Reemission reemit : {Reemission::own, Reemission::all}) {
    StateRecord::Config c = config(2);
    c.rules.reemit = reemit;
    StateRecord s(c);
    fill(s, 4, 2);
    auto v = s.arrive(4, 0, 1, 0);
    CHECK((v.arrival == Arrival::duplicate && !v.store));
    CHECK(v.emission == (reemit == Reemission::own ? Emission::sender : Emission::all));
    v = s.arrive(8, 0, 0, 0);
    CHECK((v.arrival == Arrival::stored && v.slot == 0 && s.tag(0) == 8 && s.bitmap(0) == 1));
    v = s.arrive(4, 0, 1, 0);
    CHECK((v.arrival == Arrival::stale && v.emission == Emission::none && !v.store && s.tag(0) == 8));
  }
}

TEST_CASE("message numbers are compared as serial numbers", "[pure][netreduce]") {
  StateRecord s(config(2));
  s.arrive(0xFFFFFFFC, 0, 0, 0);
  CHECK(s.arrive(0, 0, 0, 0).arrival == Arrival::stored);
  CHECK(s.arrive(0xFFFFFFFC, 0, 1, 0).arrival == Arrival::stale);
}

TEST_CASE("unknown ranks and offsets are refused", "[pure][netreduce]") {
  StateRecord s(config(2));
  CHECK(s.arrive(0, 0, 2, 0).arrival == Arrival::refused);
  CHECK(s.arrive(0, 3, 0, 0).arrival == Arrival::refused);
  CHECK_THROWS_AS(StateRecord(config(0)), std::invalid_argument);
  CHECK_THROWS_AS(StateRecord(config(65)), std::invalid_argument);
  StateRecord wide(config(64));
  for (unsigned r = 0; r < 63; ++r) CHECK(wide.arrive(0, 0, r, 0).arrival == Arrival::stored);
  CHECK(wide.arrive(0, 0, 63, 0).arrival == Arrival::completed);
}

TEST_CASE("packets that clear the slot N messages ahead, by rule", "[pure][netreduce]") {
  // The slot of message 0 (for N = 2 also that of message 4) is full; then packets of message 2 arrive, N before 4.
  const auto left = [](SlotRule rule, unsigned packets) {
    StateRecord s(config(3, rule));
    fill(s, 0, 3);
    for (unsigned r = 0; r < packets; ++r) s.arrive(2, 0, r, 0);
    return s.bitmap(0);
  };
  CHECK((left(SlotRule::any, 0) == 7 && left(SlotRule::any, 1) == 0));
  CHECK((left(SlotRule::bit, 1) == 6 && left(SlotRule::bit, 2) == 4 && left(SlotRule::bit, 3) == 0));
  CHECK((left(SlotRule::full, 2) == 7 && left(SlotRule::full, 3) == 0));
  CHECK((left(SlotRule::full1, 2) == 7 && left(SlotRule::full1, 3) == 0));
  CHECK(left(SlotRule::tag, 3) == 7);
  // Another packet arrives again: `full` clears a bit that was set meanwhile, `full1` does not.
  const auto later = [](SlotRule rule) {
    StateRecord s(config(3, rule));
    fill(s, 2, 3);
    s.arrive(4, 0, 1, 0);
    s.arrive(2, 0, 0, 0);
    return s.bitmap(0);
  };
  CHECK((later(SlotRule::full) == 0 && later(SlotRule::full1) == 2));
}

TEST_CASE("the literal rules cannot distinguish an old packet from a new one", "[pure][netreduce]") {
  // A late packet of message 0 (an ACK was lost) is counted for message 4.
  for (const SlotRule rule : {SlotRule::full, SlotRule::full1}) {
    StateRecord s(config(2, rule));
    for (std::uint32_t m = 0; m < 4; ++m) fill(s, m, 2);
    CHECK(s.bitmap(0) == 0);
    s.arrive(0, 0, 1, 0);
    const auto v = s.arrive(4, 0, 0, 0);
    CHECK((v.arrival == Arrival::completed && v.emission == Emission::all));  // contains an operand of message 0
  }
  StateRecord s(config(2));
  for (std::uint32_t m = 0; m < 4; ++m) fill(s, m, 2);
  CHECK(s.arrive(0, 0, 1, 0).arrival == Arrival::duplicate);
  CHECK(s.arrive(4, 0, 0, 0).arrival == Arrival::stored);
}

TEST_CASE("a full slot of a tree sends again once in a round", "[pure][netreduce]") {
  StateRecord::Config c = config(3);
  c.tree = true;
  StateRecord s(c);
  fill(s, 0, 3);
  const auto again = [&](unsigned rank) { return s.arrive(0, 0, rank, 0).emission == Emission::all; };
  CHECK((again(0) && !again(1) && !again(2)));  // all ranks go back: one more sum
  CHECK((again(1) && !again(0) && !again(2)));
  CHECK((again(2) && again(2)));  // a single rank is always answered
  s.arrive(4, 0, 0, 0);
  s.arrive(4, 0, 1, 0);
  s.arrive(4, 0, 2, 0);
  CHECK(s.arrive(4, 0, 1, 0).emission == Emission::all);
  c.rules.reemit_tree = TreeReemission::all;
  StateRecord storm(c);
  fill(storm, 0, 3);
  for (unsigned r = 0; r < 3; ++r) CHECK(storm.arrive(0, 0, r, 0).emission == Emission::all);
}

TEST_CASE("a report names messages, packets and the ranks that are missing", "[pure][netreduce]") {
  StateRecord s(config(4));
  s.arrive(6, 1, 0, 70);
  s.arrive(5, 2, 0, 30);
  s.arrive(5, 2, 2, 40);
  s.arrive(5, 2, 3, 50);
  const auto waiting = s.waiting();
  REQUIRE(waiting.size() == 2);
  CHECK(s.text(waiting[0]) == "message 5, packet 2: 3 of 4 ranks, missing rank 1");
  CHECK(s.text(waiting[1]) == "message 6, packet 1: 1 of 4 ranks, missing ranks 1, 2, 3");
  CHECK((waiting[0].since == 30 && waiting[1].since == 70));
}

TEST_CASE("a loaded record continues as the saved one", "[pure][netreduce]") {
  StateRecord::Config c = config(3);
  c.tree = true;
  StateRecord s(c), copy(c);
  fill(s, 0, 3);
  s.arrive(0, 0, 1, 0);
  s.arrive(1, 2, 2, 0);
  copy.arrive(7, 2, 1, 0);
  std::string text;
  StateWriter out(text);
  s.save(out);
  StateReader in(text);
  copy.load(in);
  CHECK((in.empty() && copy.filling() == 1 && copy.full() == 1 && copy.tag(0) == 0 && !copy.used(11)));
  CHECK(copy.arrive(0, 0, 0, 0).emission == Emission::none);
  CHECK(copy.arrive(0, 0, 1, 0).emission == Emission::all);
  copy.reset();
  CHECK((copy.filling() == 0 && copy.full() == 0 && !copy.used(0)));
}

TEST_CASE("probes count arrivals at slots, and slots that are filling and full", "[pure][netreduce]") {
  StateRecord s(config(2));
  std::vector<std::uint64_t> filling, full;
  const auto note = [](void* v, Tick, std::uint64_t n) { static_cast<std::vector<std::uint64_t>*>(v)->push_back(n); };
  unsigned stored = 0, duplicates = 0;
  const auto count = [](void* n, Tick, std::uint64_t) { ++*static_cast<unsigned*>(n); };
  s.filling_probe.attach(&filling, note);
  s.done_probe.attach(&full, note);
  s.stored.attach(&stored, count);
  s.duplicate.attach(&duplicates, count);
  fill(s, 0, 2);
  s.arrive(0, 0, 0, 0);
  s.arrive(4, 0, 0, 0);
  CHECK(filling == std::vector<std::uint64_t>{1, 0, 1});
  CHECK(full == std::vector<std::uint64_t>{1, 0});
  CHECK((stored == 2 && duplicates == 1));
}

}  // namespace tributary::test_state_record
