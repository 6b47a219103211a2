// PinUnit: a block that another process clocks answers in time, or ends the run by a rule.
#include <catch2/catch.hpp>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "modules/rtl/core/pin_unit.h"
#include "testbench/test/modules/rtl/pipeline_model.h"

namespace tributary::test_pin_unit {

using Catch::Matchers::Contains;
using test_rtl::PipelineModel;

namespace {

enum Channel : unsigned { request, answer };
enum Field : unsigned { data = 0, id = 3, answered_id = 1 };

/// A block of registers, and a process that clocks it.
class Bench {
 public:
  explicit Bench(const PipelineModel::Options& options, Tick period = 3103)
      : model_(options), unit("block", combinator_pins(), {{"RANKS", options.ranks}}, model_, period) {
    unit.restart(0);
  }

  /// Requests `beats` beats at `now`; the answer may need `latency` clocks.
  void ask(Tick now, unsigned beats, unsigned latency, std::uint16_t number) {
    const std::uint64_t edge = unit.edge_of(now);
    for (unsigned k = 0; k < beats; ++k) {
      RtlBeat beat = unit.channel(request).make_beat();
      beat.edge = edge + k;
      beat.last = k + 1 == beats;
      unit.channel(request).set(beat, id, number);
      unit.channel(request).bytes(beat, data)[0] = static_cast<std::uint8_t>(number + k);
      unit.offer(request, std::move(beat));
    }
    const auto whole = [this, number](std::uint64_t first) {
      const RtlBeat& beat = unit.runner().beat(answer, first);
      CHECK(unit.channel(answer).get(beat, answered_id) == number);
      CHECK(beat.bytes[0] == static_cast<std::uint8_t>(number));
      answered.push_back({number, now_});
    };
    const auto begins = [this](Tick when, std::uint64_t) {
      CHECK(when >= now_);
      begun.push_back(when);
    };
    unit.expect(answer, beats, edge, latency, "request " + std::to_string(number), whole, begins);
  }
  /// Requests `beats` beats whose answer is foreseen.
  void foresee(Tick now, unsigned beats, std::uint16_t number) {
    const std::uint64_t edge = unit.edge_of(now);
    for (unsigned k = 0; k < beats; ++k) {
      RtlBeat beat = unit.channel(request).make_beat();
      beat.edge = edge + k;
      beat.last = k + 1 == beats;
      unit.offer(request, std::move(beat));
    }
    const auto seen = [this](Tick when, const RtlBeat&) { foreseen.push_back({when, now_}); };
    unit.foresee(answer, beats, edge, "request " + std::to_string(number), seen, [this, number](std::uint64_t) {
      answered.push_back({number, now_});
    });
  }
  /// Clocks the block up to and including `end`.
  void run_to(Tick end) {
    for (Tick rise = unit.next_rise(); rise <= end; rise = unit.next_rise()) {
      now_ = rise;
      unit.drive();
      level(false);
      unit.rise();
      level(true);
      unit.fall();
      unit.drive();
      level(false);
      ++edges;
    }
  }

 private:
  void level(bool high) {
    model_.pins.find("clk").data[0] = high;
    model_.eval();
  }
  PipelineModel model_;
  Tick now_ = 0;

 public:
  PinUnit unit;
  struct Answered {
    unsigned number;
    Tick when;
  };
  std::vector<Answered> answered;
  std::vector<Tick> begun;                      // first beats of answers
  std::vector<std::pair<Tick, Tick>> foreseen;  // edges of beats, and the edges before at which they are shown
  unsigned edges = 0;
};

}  // namespace

TEST_CASE("pin unit: an answer leaves after the registers of the block, and requests overlap", "[pure][rtl]") {
  Bench bench({2, 34});
  bench.run_to(10'000);
  CHECK(bench.edges == 2);  // reset
  bench.ask(20'000, 16, 34, 1);
  bench.ask(20'000 + 17 * 3103, 16, 34, 2);  // the first is in the registers
  bench.run_to(1'000'000);
  REQUIRE(bench.answered.size() == 2);
  CHECK(bench.answered[0].when == 20'000 + (34 + 15) * 3103);
  CHECK(bench.answered[1].when == 20'000 + (17 + 34 + 15) * 3103);
  CHECK(bench.begun == std::vector<Tick>{20'000 + 34 * 3103, 20'000 + (17 + 34) * 3103});
  // Clocks from the first beat to the last answer, and 64 more.
  CHECK(bench.edges == 2 + 17 + 34 + 16 + 64);
  CHECK(bench.unit.next_rise() == never);
}

TEST_CASE("pin unit: probes show the pins at the edges of the clock", "[pure][rtl]") {
  Bench bench({2, 3});
  ProbeDirectory directory;
  bench.unit.describe(directory, "rtl.");
  static std::map<std::string, std::map<Tick, std::uint64_t>> seen;
  static const std::vector<std::string> pins{"rtl.clk", "rtl.s_valid", "rtl.m_valid"};
  seen.clear();
  directory.for_each<SignalProbe>([](const std::string& name, SignalProbe& probe) {
    for (const std::string& pin : pins)
      if (pin == name)
        probe.attach(const_cast<std::string*>(&pin),
                     [](void* of, Tick when, std::uint64_t value) { seen[*static_cast<std::string*>(of)][when] = value; });
  });
  bench.unit.restart(0);
  bench.run_to(10'000);
  bench.ask(20'000, 1, 3, 1);
  bench.run_to(1'000'000);
  CHECK((seen["rtl.s_valid"].at(20'000) == 1 && seen["rtl.s_valid"].at(23'103) == 0));
  CHECK((seen["rtl.m_valid"].at(26'206) == 0 && seen["rtl.m_valid"].at(29'309) == 1));
  CHECK(seen["rtl.m_valid"].rbegin()->second == 0);
  CHECK((seen["rtl.clk"].begin()->first == 20'000 && seen["rtl.clk"].at(21'551) == 0));
}

TEST_CASE("pin unit: the clock rests until a request", "[pure][rtl]") {
  Bench bench({2, 3});
  bench.run_to(10'000);
  bench.ask(20'000, 1, 3, 1);
  bench.run_to(1'000'000);
  bench.ask(20'000 + 1000 * 3103 - 5, 1, 3, 2);
  CHECK(bench.unit.next_rise() == 20'000 + 1000 * 3103);
  bench.run_to(10'000'000);
  CHECK(bench.answered.back().when == 20'000 + 1003 * 3103);
  CHECK(bench.edges == 2 + 2 * (3 + 1 + 64));
}

TEST_CASE("pin unit: an answer may be early, and is late a clock after its latency", "[pure][rtl]") {
  Bench early({2, 3});
  early.run_to(10'000);
  early.ask(20'000, 4, 9, 1);
  early.run_to(1'000'000);
  REQUIRE(early.answered.size() == 1);
  CHECK(early.answered[0].when == 20'000 + 6 * 3103);
  CHECK(early.begun == std::vector<Tick>{20'000 + 9 * 3103});  // it waits for its latency

  Bench late({2, 4});
  late.run_to(10'000);
  late.ask(20'000, 4, 3, 1);
  CHECK_THROWS_WITH(late.run_to(1'000'000),
                    Contains("block breaks the rule `late`: beat 0 of request 1 has not left at edge"));

  PipelineModel::Options silent{2, 3};
  silent.silent = true;
  Bench never_answers(silent);
  never_answers.run_to(10'000);
  never_answers.ask(20'000, 4, 3, 1);
  CHECK_THROWS_WITH(never_answers.run_to(1'000'000), Contains("breaks the rule `late`"));
  CHECK(never_answers.edges == 2 + 3);
}

TEST_CASE("pin unit: without a latency an answer begins when its first beat leaves", "[pure][rtl]") {
  Bench bench({2, 7});
  bench.run_to(10'000);
  bench.ask(20'000, 4, 0, 1);
  bench.ask(20'000 + 5 * 3103, 4, 0, 2);
  bench.run_to(1'000'000);
  CHECK(bench.begun == std::vector<Tick>{20'000 + 7 * 3103, 20'000 + 12 * 3103});
  CHECK(bench.answered.size() == 2);

  PipelineModel::Options silent{2, 3};
  silent.silent = true;
  Bench never_answers(silent);
  never_answers.run_to(10'000);
  never_answers.ask(20'000, 4, 0, 1);
  CHECK_THROWS_WITH(never_answers.run_to(1'000'000'000),
                    Contains("breaks the rule `patience`: request 1 has no answer after"));
}

TEST_CASE("pin unit: an answer is foreseen when the clock falls before its edge", "[pure][rtl]") {
  Bench bench({2, 7});
  bench.run_to(10'000);
  bench.foresee(20'000, 2, 1);
  bench.foresee(20'000 + 2 * 3103, 1, 2);
  bench.run_to(1'000'000);
  const auto edge = [](unsigned number) { return 20'000 + number * 3103; };
  CHECK(bench.foreseen == std::vector<std::pair<Tick, Tick>>{{edge(7), edge(6)}, {edge(8), edge(7)}, {edge(9), edge(8)}});
  REQUIRE(bench.answered.size() == 2);
  CHECK((bench.answered[0].when == edge(8) && bench.answered[1].when == edge(9)));

  PipelineModel::Options silent{2, 3};
  silent.silent = true;
  Bench never_answers(silent);
  never_answers.run_to(10'000);
  never_answers.foresee(20'000, 4, 1);
  CHECK_THROWS_WITH(never_answers.run_to(1'000'000'000),
                    Contains("breaks the rule `patience`: request 1 has no answer after"));
}

TEST_CASE("pin unit: a request for an edge that has risen, or during the reset, is named", "[pure][rtl]") {
  Bench bench({2, 3});
  CHECK_THROWS_WITH(bench.ask(1'000, 1, 3, 1), Contains("block: a request arrives before two clocks of reset are over"));
  bench.run_to(10'000);
  bench.ask(20'000, 1, 3, 1);
  bench.run_to(20'000 + 2 * 3103);
  CHECK_THROWS_WITH(bench.ask(20'000 + 2 * 3103, 1, 3, 2), Contains("block: a request for edge"));
}

TEST_CASE("pin unit: outputs that are valid after the reset break the rule `reset`", "[pure][rtl]") {
  PipelineModel::Options options;
  options.valid_in_reset = true;
  CHECK_THROWS_WITH([&] { Bench(options).run_to(10'000); }(), Contains("breaks the rule `reset`"));
}

TEST_CASE("pin unit: a reset forgets requests, and the next clock begins at the next request", "[pure][rtl]") {
  Bench bench({2, 34});
  bench.run_to(10'000);
  bench.ask(20'000, 16, 34, 1);
  bench.run_to(30'000);
  bench.unit.restart(30'001);
  CHECK(bench.unit.next_rise() == 33'104);
  bench.run_to(40'000);
  bench.ask(50'017, 16, 34, 2);
  bench.run_to(1'000'000);
  REQUIRE(bench.answered.size() == 1);
  CHECK(bench.answered[0].when == 50'017 + 49 * 3103);
}

}  // namespace tributary::test_pin_unit
