// Frames that an accelerator misses, receives twice, or cannot use (docs/systems/netreduce.md#loss).
#include <catch2/catch.hpp>
#include <cstring>

#include "modules/base/waiting_since.h"
#include "testbench/test/harness/accelerator_rack.h"

namespace tributary::test_accelerator_loss {
namespace {

using Rack = AcceleratorRack;
constexpr Tick cycle = AcceleratorBench::cycle;

}  // namespace

TEST_CASE("a report names ring, message, packet and missing ranks", "[pure][netreduce]") {
  RingFrames frames;
  frames.hosts = 4;
  Rack rack(frames, {}, {}, false);
  for (unsigned m = 0; m < 5; ++m)
    for (unsigned o = 0; o < 4; ++o) rack.send_all(m, o, (1 + m * 4 + o) * 1'000'000);
  for (unsigned r : {0, 2, 3})
    for (unsigned o = 0; o < 3; ++o) rack.send(r, 5, o, 30'000'000 + o * 1'000'000);
  for (unsigned o = 0; o < 2; ++o) rack.send(1, 5, o, 34'000'000 + o * 1'000'000);
  rack.bench.run();
  std::vector<std::string> waiting = rack.bench.slots.waiting();
  REQUIRE(waiting.size() == 1);
  const Tick since = cut_waiting_since(waiting.front());
  CHECK(waiting.front() == "ring0: message 5, packet 2: 3 of 4 ranks, missing rank 1");
  CHECK((since > 32'000'000 && since < 33'000'000));  // arrival of the first rank's packet
  CHECK(rack.bench.core->waiting().empty());
}

TEST_CASE("a lost gradient leaves its slot open, and retransmission completes it once", "[pure][netreduce]") {
  Rack rack({});
  for (unsigned o = 0; o < 4; ++o)
    for (unsigned r = 0; r < 6; ++r)
      if (o != 1 || r != 2) rack.send(r, 0, o, (1 + o) * 1'000'000);
  rack.bench.run();
  CHECK(rack.bench.sent.size() == 18);
  rack.bench.clear();
  for (unsigned o = 1; o < 4; ++o) rack.send_all(0, o, (10 + o) * 1'000'000);  // all go back to the gap
  rack.bench.run();
  CHECK(rack.bench.count("slot.completed") == 4);
  // All six duplicates of the two later slots, and those of its own slot that arrive after rank 2's.
  CHECK(rack.bench.count("slot.duplicate") == 2 * 6 + 3);
  CHECK(rack.bench.count("reemissions") == 15);
  CHECK(rack.bench.sent.size() == 6 + 15);
}

TEST_CASE("after a lost first packet the rest of its message is dropped", "[pure][netreduce]") {
  Rack rack({});
  for (unsigned o = 0; o < 4; ++o) rack.send(3, 0, o, (1 + o) * 1'000'000);
  for (unsigned o = 1; o < 4; ++o) rack.send(3, 1, o, (10 + o) * 1'000'000);
  rack.bench.run();
  CHECK(rack.bench.count("clt.refused") == 3);  // MsgLen - 1
  CHECK(rack.bench.count("dropped") == 3);
  CHECK(rack.bench.count("slot.stored") == 4);
}

TEST_CASE("a lost result is sent again to its own connection, and with reemit=all to each", "[pure][netreduce]") {
  for (const Reemission reemit : {Reemission::own, Reemission::all}) {
    AggregationParams rules;
    rules.reemit = reemit;
    Rack rack({}, {}, rules);
    for (unsigned o = 0; o < 4; ++o) rack.send_all(0, o, (1 + o) * 1'000'000);
    rack.bench.run();
    const Payload before(rack.bench.sent[7].frame->payload, rack.bench.sent[7].frame->payload + 1024);
    rack.bench.clear();
    rack.send(4, 0, 1, 10'000 * cycle);
    rack.bench.run();
    REQUIRE(rack.bench.sent.size() == (reemit == Reemission::own ? 1 : 6));
    for (const auto& s : rack.bench.sent) {
      CHECK(roce(*s.frame).psn == rack.ring.psn(s.port, 0, 1));
      CHECK(std::memcmp(s.frame->payload, before.data(), 1024) == 0);
      // Without adders: MAC 10, parser 4, CLT 2, commit 2, read 1, headers 2, MAC 10.
      CHECK(s.start == 10'000 * cycle + 31 * cycle);
    }
    if (reemit == Reemission::own) CHECK(rack.bench.sent[0].port == 4);
  }
}

TEST_CASE("a stored sum that is sent again does not overtake a sum in the adders", "[pure][netreduce]") {
  Rack rack({});
  rack.send_all(0, 0, 1000 * cycle);
  rack.bench.run();
  rack.bench.clear();
  rack.send_all(0, 1, 10'000 * cycle);
  rack.send(4, 0, 0, 10'001 * cycle);  // would be read 33 cycles before the sum of packet 1 leaves the adders
  rack.bench.run();
  std::vector<AcceleratorBench::Sent> to_rank_4;
  for (const auto& s : rack.bench.sent)
    if (s.port == 4) to_rank_4.push_back(s);
  REQUIRE((rack.bench.sent.size() == 7 && to_rank_4.size() == 2));
  CHECK(roce(*to_rank_4[0].frame).psn == rack.ring.psn(4, 0, 1));
  CHECK(to_rank_4[0].start == 10'064 * cycle);
  CHECK(roce(*to_rank_4[1].frame).psn == rack.ring.psn(4, 0, 0));
  CHECK(to_rank_4[1].start == 10'064 * cycle + 1106 * 80);  // the wire is free
}

// The host has read its memory again, which the result has overwritten meanwhile.
TEST_CASE("rules `full` and `full1`: a packet that rewrites a full slot is added again", "[pure][netreduce]") {
  for (const SlotRule rule : {SlotRule::full, SlotRule::full1}) {
    AggregationParams rules;
    rules.rule = rule;
    Rack rack({}, {}, rules);
    for (unsigned o = 0; o < 2; ++o) rack.send_all(0, o, (1 + o) * 1'000'000);
    rack.bench.run();
    rack.bench.clear();
    const Payload other = floats(4, 9, 1);
    rack.bench.receive(4, rack.ring.gradient(rack.bench.pool, 4, 0, 1, other.data()), 10'000 * cycle);
    rack.bench.run();
    REQUIRE(rack.bench.sent.size() == 1);
    CHECK(rack.bench.sent[0].start == 10'064 * cycle);  // through the adders
    std::vector<Payload> x;
    for (unsigned r = 0; r < 6; ++r) x.push_back(r == 4 ? other : floats(r, 0, 1));
    const auto value = [&](unsigned r, unsigned i) { return at(x[r].data(), i); };
    unsigned right = 0;
    for (unsigned i = 0; i < 256; ++i)
      right += at(rack.bench.sent[0].frame->payload, i) ==
               ((value(0, i) + value(1, i)) + (value(2, i) + value(3, i))) + (value(4, i) + value(5, i));
    CHECK(right == 256);
  }
}

TEST_CASE("a sum that is not stored is recomputed", "[pure][netreduce]") {
  AcceleratorParams params;
  params.value = SlotValue::recomputed;
  Rack rack({}, params);
  rack.send_all(0, 0, 1'000'000), rack.send_all(0, 1, 2'000'000);
  rack.bench.run();
  const Payload before(rack.bench.sent[6].frame->payload, rack.bench.sent[6].frame->payload + 1024);
  rack.bench.clear();
  rack.send(4, 0, 1, 10'000 * cycle);
  rack.bench.run();
  REQUIRE(rack.bench.sent.size() == 1);
  CHECK(rack.bench.sent[0].start == 10'000 * cycle + 64 * cycle);
  CHECK(std::memcmp(rack.bench.sent[0].frame->payload, before.data(), 1024) == 0);
}

TEST_CASE("a duplicate before its slot is full changes nothing, an old one is dropped", "[pure][netreduce]") {
  Rack rack({});
  rack.send(0, 0, 0, 1'000'000);
  rack.send(0, 0, 0, 2'000'000);
  rack.bench.run();
  CHECK(rack.bench.sent.empty());
  CHECK(rack.bench.count("slot.stored") == 2);
  for (unsigned m = 0; m < 5; ++m) rack.send_all(m, 0, (10 + m) * 1'000'000);
  rack.bench.run();
  rack.bench.clear();
  rack.send(1, 0, 0, 20'000'000);  // its slot belongs to message 4
  rack.bench.run();
  CHECK(rack.bench.sent.empty());
  CHECK(rack.bench.count("slot.stale") == 1);
  CHECK(rack.bench.count("clt.behind") == 1);
}

TEST_CASE("damaged frames are dropped: FCS by the MAC, ICRC by its unit", "[pure][netreduce]") {
  Rack rack({});
  for (const std::uint8_t damage : {fcs_wrong, icrc_wrong}) {
    Packet* const p = rack.ring.gradient(rack.bench.pool, 0, 0, 0);
    p->damage = damage;
    rack.bench.receive(0, p, 1'000'000 * damage);
  }
  rack.bench.run();
  CHECK(rack.bench.count("fcs_errors") == 1);
  CHECK(rack.bench.count("icrc_errors") == 1);
  CHECK(rack.bench.count("slot.stored") == 0);
  CHECK(rack.bench.pool.live() == 0);
}

TEST_CASE("frames of any header are counted and dropped, and change no state", "[pure][netreduce]") {
  Rack rack({}, {}, {}, false);
  for (unsigned o = 0; o < 4; ++o) rack.send_all(0, o, (1 + o) * 1'000'000);
  rack.bench.run();
  rack.bench.clear();
  const std::uint64_t stored = rack.bench.count("slot.stored"), updates = rack.bench.count("clt.update");
  constexpr unsigned frames = 1'000'000;
  Tick tail = 10'000'000;
  for (unsigned i = 0; i < frames; ++i) {
    Packet* const p = make_frame(rack.bench.pool, FrameKind::write_middle, 1024, false);
    RoceHeader& h = roce(*p);
    std::uint64_t words[4];
    for (unsigned w = 0; w < 4; ++w) words[w] = random_at(3, w, i);
    std::memcpy(&h, words, sizeof h);
    h.kind = static_cast<FrameKind>(below(random_at(3, 9, i), 16));
    if (h.kind == FrameKind::pause) h.kind = FrameKind::aggregate;
    rack.bench.receive(i % 6, p, tail += 100'000);
    if (i % 64 == 63) rack.bench.run(tail), rack.bench.clear();
  }
  rack.bench.run();
  rack.bench.clear();
  CHECK(rack.bench.count("dropped") + rack.bench.count("bypassed") == frames);
  CHECK(rack.bench.count("slot.stored") == stored);
  CHECK(rack.bench.count("clt.update") == updates);
  CHECK(rack.bench.pool.live() == 0);
}

}  // namespace tributary::test_accelerator_loss
