// Copy engines in RTL: copies and events of the links as clocks.
#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <map>
#include <optional>

#include "modules/rtl/core/copy_engine_beats.h"
#include "modules/streams/core/copy_engine_pins.h"
#include "testbench/test/harness/engine_model.h"

namespace tributary::test_copy_engine_beats {

using Catch::Matchers::Contains;

namespace {

constexpr unsigned lane_count = EngineModel::lane_count;
using Faults = EngineModel::Faults;

/// The sockets of an engine.
struct World : CopyEnginePort {
  struct Sent {
    Burst burst;
    Tick ready;
  };
  std::vector<Sent> sent = {};
  std::vector<Tick> done_at = {}, requested_at = {};
  Tick latency = 0;
  Tick memory_latency(const CopyCommand&, Tick now) override {
    requested_at.push_back(now);
    return latency;
  }
  void send(const Burst& burst, Tick ready) override { sent.push_back({burst, ready}); }
  void done(const CopyCommand&, Tick when) override { done_at.push_back(when); }
};

struct Bench {
  explicit Bench(unsigned fetch = 5, const Faults& faults = {})
      : engine("gpu0.engine1", block(fetch, faults), 1000, world) {}
  static RtlBlock block(unsigned fetch, const Faults& faults) {
    RtlBlock b;
    b.parameters = {{"LANES", lane_count}};
    b.make = [fetch, faults] { return std::make_unique<EngineModel>(fetch, faults); };
    return b;
  }
  World world;
  CopyEngineBeats engine;
};

CopyCommand command(std::uint64_t bytes, unsigned links) {
  CopyCommand c;
  c.copy = 7;
  c.source = 4096;
  c.bytes = bytes;
  c.lanes = static_cast<std::uint8_t>(copy_lanes(bytes, links, c.framing));
  return c;
}

}  // namespace

TEST_CASE("a copy engine in RTL sends the bursts of the model after its launch and the latency of the memory",
          "[pure][rtl]") {
  for (const Tick latency : {0u, 300u, 7000u}) {
    Bench b;
    b.world.latency = latency;
    World model_world;
    model_world.latency = latency;
    // 5 clocks, and a clock for each of the request, its answer and the bursts.
    CopyEngineCore model({8000, 0, 0, 1000}, model_world);
    const CopyCommand c = command(5 * 3840, 2);
    const auto both = [&](auto event) { event(b.engine), event(model); };
    both([&](auto& e) { e.submit(c, 10'400); });  // edge 11
    const Tick first = 11'000 + 8000 + (latency + 999) / 1000 * 1000;
    REQUIRE(b.world.sent.size() == 4);
    CHECK(b.world.requested_at == std::vector<Tick>{17'000});
    for (const auto& s : b.world.sent) CHECK(s.ready == first + (&s - b.world.sent.data()) / 2 * 1000);
    CHECK(b.engine.waiting() == std::vector<std::string>{"copy of stream 0 to gpu0: 3840 of 19200 B to send"});
    const Tick later = first + 100'300;
    both([&](auto& e) { e.room(1, later); });
    CHECK(b.world.sent.back().burst.last);
    CHECK(b.world.sent.back().ready == first + 102'000);
    both([&](auto& e) { e.room(0, later); });
    both([&](auto& e) { e.left(1, later + 50'000); });
    CHECK(b.world.done_at.empty());
    both([&](auto& e) { e.left(0, later + 50'000); });
    CHECK(b.world.done_at == std::vector<Tick>{first + 151'000});
    CHECK(b.world.done_at == model_world.done_at);
    CHECK(b.engine.waiting().empty());
    std::map<std::pair<unsigned, std::uint64_t>, Burst> ours;
    for (const auto& s : b.world.sent) ours[{s.burst.lane, s.burst.offset}] = s.burst;
    REQUIRE(ours.size() == model_world.sent.size());
    for (const auto& s : model_world.sent) {
      const Burst& one = ours.at({s.burst.lane, s.burst.offset});
      CHECK((one.copy == 7 && one.flits == s.burst.flits && one.bytes == s.burst.bytes && one.last == s.burst.last));
    }
  }
}

TEST_CASE("the next copy of an engine in RTL begins at the end of the one before", "[pure][rtl]") {
  Bench b;
  const CopyCommand one = command(100, 1), none = command(0, 1);
  b.engine.submit(one, 0);
  b.engine.room(0, 8000);
  b.engine.left(0, 9500);
  CHECK(b.world.done_at == std::vector<Tick>{10'000});
  b.engine.submit(none, 10'000);
  CHECK(b.world.done_at.back() == 18'000);
  b.engine.submit(one, 18'000);
  CHECK(b.world.sent.back().ready == 26'000);
  b.engine.reset();
  b.engine.submit(one, 17'000);
  CHECK(b.world.sent.back().ready == 25'000);
}

TEST_CASE("events that come before the answers of an engine in RTL do not change them", "[pure][rtl]") {
  for (const bool saves : {true, false}) {
    Faults faults;
    faults.saves = saves;
    Bench b(5, faults);
    const CopyCommand c = command(8 * 3840, 2);
    b.engine.submit(c, 0);  // bursts at 8 and 9 ns; both lanes begin at once
    REQUIRE(b.world.sent.size() == 4);
    b.engine.room(0, 8000);
    b.engine.room(1, 8000);
    REQUIRE(b.world.sent.size() == 6);
    // Room is seen in the clock after a burst, that of the second lane a clock later.
    if (saves) CHECK((b.world.sent[4].ready == 10'000 && b.world.sent[5].ready == 11'000));
  }
}

TEST_CASE("a copy engine in RTL that answers wrongly is named with the rule", "[pure][rtl]") {
  const auto said = [](void (*set)(Faults&), std::optional<Tick> room = {}) {
    Faults faults;
    set(faults);
    Bench b(5, faults);
    const CopyCommand c = command(8 * 3840, 2), small = command(100, 1);
    try {
      b.engine.submit(room ? c : small, 0);
      if (room) b.engine.room(0, *room);
      if (!room) b.engine.left(0, 9000);
    } catch (const std::logic_error& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  CHECK_THAT(said([](Faults& f) { f.address = true; }),
             Contains("gpu0.engine1 breaks the rule `answer`: requests 100 B at 4097 in place of 100 B at 4096"));
  CHECK_THAT(said([](Faults& f) { f.ends = true; }), Contains("ends copy 8 in place of 7"));
  CHECK_THAT(said([](Faults& f) { f.third = true; }, 100'000), Contains("breaks the rule `order`"));
  CHECK_THAT(said([](Faults& f) { f.turns = true; }, 8000), Contains("breaks the rule `overlap`"));
  CHECK(said([](Faults&) {}) == "nothing");
}

TEST_CASE("copies that an engine in RTL cannot carry out are refused", "[pure][rtl]") {
  Bench b;
  CopyCommand c = command(8 * 3840, 3);
  CHECK_THROWS_WITH(b.engine.submit(c, 0), Contains("LANES=2") && Contains("legal: LANES=3 or more"));
  c = command(3840, 1);
  c.reads = true;
  CHECK_THROWS_WITH(b.engine.submit(c, 0), Contains("legal: blink.copies=write"));
  CHECK_THROWS_AS(CopyEngineBeats("e", Bench::block(5, {}), 0, b.world), std::invalid_argument);
}

}  // namespace tributary::test_copy_engine_beats
