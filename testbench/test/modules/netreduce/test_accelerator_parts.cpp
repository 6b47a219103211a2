// Memory, tables and frame classes of an accelerator (Liu et al., 4).
#include <catch2/catch.hpp>

#include "modules/base/parameter_set.h"
#include "testbench/test/harness/accelerator_bench.h"
#include "testbench/test/harness/ring_frames.h"

namespace tributary::test_accelerator_parts {

using Catch::Matchers::Contains;

TEST_CASE("680 slots of six hosts are 4.47 MB, with their sums 5.16 MB", "[pure][netreduce]") {
  RingFrames frames;
  frames.message_packets = 170;
  const AcceleratorMemory m = AcceleratorMemory::of(frames.ring(), {}, SlotValue::recomputed);
  CHECK(m.payload == 4'177'920);
  CHECK(m.headers == 285'600);
  CHECK(m.state == 3'825);
  CHECK(m.value == 0);
  CHECK(m.bytes() == 4'467'345);
  CHECK(AcceleratorMemory::of(frames.ring(), {}, SlotValue::stored).bytes() == 5'163'665);
  AggregationParams rules;
  rules.slots = SlotCount::window;
  CHECK(AcceleratorMemory::of(frames.ring(), rules, SlotValue::stored).payload == 4'177'920 / 2);
}

TEST_CASE("rings that need too much memory are refused, and so are equal ring numbers", "[pure][netreduce]") {
  AcceleratorParams params;
  params.memory = 4608_B * 993;  // the block RAMs of the prototype, 36 Kb each
  RingFrames frames;
  frames.message_packets = 170;
  AcceleratorBench bench(6, params);
  CHECK_THROWS_WITH(bench.core->begin({frames.ring()}, false), Contains("need 5163665 B, but it has"));
  params.value = SlotValue::recomputed;
  AcceleratorBench smaller(6, params);
  CHECK_NOTHROW(smaller.core->begin({frames.ring()}, false));
  AcceleratorBench twice(6);
  CHECK_THROWS_WITH(twice.core->begin({frames.ring(), frames.ring()}, false), "two rings have the number 0");
  AcceleratorBench few(4);
  CHECK_THROWS_WITH(few.core->begin({frames.ring()}, false), "ring 0: port 4 of 4");
}

TEST_CASE("two rings have slots of their own", "[pure][netreduce]") {
  RingFrames frames;
  frames.hosts = 2;
  AggregationRing one = frames.ring(ElementType::i32), two = one;
  two.ring = 7;
  for (auto& m : two.members) m.connection.queue_pair += 50;
  AcceleratorBench bench(2);
  bench.core->begin({one, two}, true);
  for (unsigned ring = 0; ring < 2; ++ring)
    for (unsigned rank = 0; rank < 2; ++rank)
      for (unsigned o = 0; o < 2; ++o) {
        const std::vector<std::int32_t> values(256, static_cast<std::int32_t>(1 + rank + 10 * ring));
        Packet* const p = frames.gradient(bench.pool, rank, 0, o, reinterpret_cast<const std::byte*>(values.data()));
        if (ring == 1) roce(*p).queue_pair += 50;
        if (ring == 1 && o == 0) roce(*p).ring = 7;
        bench.receive(rank, p, (1 + o) * 1'000'000 + ring * 500'000);
      }
  bench.run();
  REQUIRE(bench.sent.size() == 8);
  for (const auto& s : bench.sent) {
    std::int32_t sum;
    std::memcpy(&sum, s.frame->payload + 1020, 4);
    CHECK(sum == (roce(*s.frame).queue_pair >= 150 ? 23 : 3));
  }
}

TEST_CASE("rings share the units of the combinator in the order of their requests", "[pure][netreduce]") {
  const auto done = [](std::optional<std::uint32_t> units) {
    AcceleratorParams params;
    params.combinators = units;
    const AcceleratorClock clock(params.clock.value);
    Combinator combinator(params);
    HeaderStore headers;
    PayloadBuffer payloads;
    SlotStorage storage(params, clock, headers, payloads);
    SumStage sums(params, clock, combinator, storage);
    RingFrames frames;
    const AggregationRing config = frames.ring();
    for (unsigned ring = 0; ring < 3; ++ring) storage.add(config, 1, false), sums.add(config, 1);
    std::vector<Tick> times;
    for (const unsigned ring : {0u, 1u, 2u, 0u}) {
      const SlotCommit commit{0, nullptr, 0, 1, static_cast<std::uint16_t>(ring), 0};
      times.push_back(sums.combine(commit, 0) / AcceleratorBench::cycle);
    }
    return times;
  };
  // A slot occupies a unit for 17 cycles; its sum leaves after 34.
  CHECK(done(std::nullopt) == std::vector<Tick>{34, 34, 34, 51});
  CHECK(done(3) == std::vector<Tick>{34, 34, 34, 51});
  CHECK(done(1) == std::vector<Tick>{34, 51, 68, 85});
  CHECK(done(2) == std::vector<Tick>{34, 34, 51, 68});
}

TEST_CASE("each unit of the combinator has a probe of its own", "[pure][netreduce]") {
  const auto names = [](std::uint32_t units) {
    AcceleratorParams params;
    params.combinators = units;
    Combinator combinator(params);
    ProbeDirectory directory;
    combinator.describe(directory, "combinator.");
    std::vector<std::string> all;
    for (const auto& [name, entry] : directory.entries()) all.push_back(name);
    return all;
  };
  CHECK(names(1) == std::vector<std::string>{"combinator.busy"});
  CHECK(names(2) == std::vector<std::string>{"combinator.unit0.busy", "combinator.unit1.busy"});
}

TEST_CASE("frames by kind, tag and damage", "[pure][netreduce]") {
  CHECK(classify(FrameKind::write_middle, false, whole) == FrameClass::gradient);
  CHECK(classify(FrameKind::write_middle, false, icrc_wrong) == FrameClass::damaged_roce);
  CHECK(classify(FrameKind::write_middle, false, fcs_wrong | icrc_wrong) == FrameClass::damaged_frame);
  CHECK(classify(FrameKind::ack, false, whole) == FrameClass::bypass);
  CHECK(classify(FrameKind::datagram, false, whole) == FrameClass::bypass);
  CHECK(classify(FrameKind::datagram, false, fcs_wrong) == FrameClass::damaged_frame);
  CHECK(classify(FrameKind::aggregate, false, whole) == FrameClass::aggregate);
  CHECK(classify(FrameKind::aggregate, true, whole) == FrameClass::from_above);
  CHECK(classify(FrameKind::notification, false, whole) == FrameClass::notification);
  CHECK(classify(static_cast<FrameKind>(200), false, whole) == FrameClass::unknown);
}

TEST_CASE("parameters of an accelerator have ranges, and the names of the manual", "[pure][netreduce]") {
  AcceleratorParams params;
  const ParameterSet set(params);
  set.set_assignment("order=chain"), set.set_assignment("value=recomputed"), set.set_assignment("ctt.learn=per_message");
  CHECK((params.order == AdderOrder::chain && params.value == SlotValue::recomputed &&
         params.ctt.learn == CtLearning::per_message));
  CHECK_THROWS_WITH(set.set_assignment("beat=9B"), Contains("8B"));
  CHECK_THROWS_WITH(set.set_assignment("ports=65"), Contains("64"));
}

namespace {

/// A part whose answer a test spoils.
template <class Transaction, class Part>
struct Spoilt : PartPort<Transaction> {
  Spoilt(Part& r, void (*s)(Transaction&)) : right(r), spoil(s) {}
  Tick access(Transaction& t) override {
    const Tick extra = right.access(t);
    spoil(t);
    return extra;
  }
  Part& right;
  void (*spoil)(Transaction&);
};

}  // namespace

TEST_CASE("an answer of a part that names no place is an error with its rule", "[pure][netreduce]") {
  const auto error_of = [](PartPort<ClTransaction>* connections, PartPort<SlotTransaction>* slots, AcceleratorBench& bench) {
    AcceleratorCore::Parts parts{bench.icrc,
                                 connections != nullptr ? *connections : bench.connections,
                                 slots != nullptr ? *slots : bench.slots,
                                 bench.translations,
                                 bench.headers,
                                 bench.payloads,
                                 bench.combinator};
    bench.core = std::make_unique<AcceleratorCore>(AcceleratorCore::Config{}, parts, *bench.links, bench.pool);
    RingFrames frames;
    bench.core->begin({frames.ring()}, false);
    bench.receive(0, frames.gradient(bench.pool, 0, 0, 0), 1'000'000);
    try {
      bench.run();
    } catch (const std::logic_error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  AcceleratorBench right(6), first(6), second(6);
  CHECK(error_of(nullptr, nullptr, right).empty());
  Spoilt<ClTransaction, ConnectionLookup> far(first.connections, [](ClTransaction& t) { t.address.offset = 4; });
  CHECK(error_of(&far, nullptr, first) == "clt breaks the rule `answer`: ring 0, packet 4; legal: below 4");
  Spoilt<SlotTransaction, SlotStates> wild(second.slots, [](SlotTransaction& t) { t.verdict.slot = 1'000'000; });
  CHECK(error_of(nullptr, &wild, second) == "state breaks the rule `answer`: ring 0, slot 1000000; legal: below 16");
}

}  // namespace tributary::test_accelerator_parts
