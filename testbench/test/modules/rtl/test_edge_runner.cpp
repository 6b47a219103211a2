// EdgeRunner: sampling, latency, idle edges, patience, and wrong beats of a block.
#include <catch2/catch.hpp>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "modules/rtl/core/request_pipeline.h"
#include "testbench/test/modules/rtl/pipeline_model.h"

namespace tributary::test_edge_runner {

using Catch::Matchers::Contains;
using test_rtl::PipelineModel;
constexpr unsigned request = 0, answer = 1, id = 3, answered_id = 1;

struct Bench {
  explicit Bench(const PipelineModel::Options& options = {}, const EdgeRunner::Options& runner_options = {})
      : model(options),
        runner("rack.combinator", combinator_pins(), {{"RANKS", options.ranks}}, model, ClockDomain(1000), runner_options) {}

  void offer(std::uint64_t edge, std::uint64_t number, bool last = true) {
    RtlBeat beat = runner.channel(request).make_beat();
    beat.edge = edge;
    beat.last = last;
    runner.channel(request).set(beat, id, number);
    runner.offer(request, beat);
    runner.expect(answer, 1);
  }
  std::string error(const std::string& what = "request 1") {
    try {
      runner.run_until_answered(what);
    } catch (const std::logic_error& e) {
      return e.what();
    }
    return "";
  }

  PipelineModel model;
  EdgeRunner runner;
};

TEST_CASE("a block with n registers answers n clocks after the edge of its request", "[pure][rtl]") {
  for (const unsigned depth : {1u, 3u, 34u}) {
    PipelineModel::Options options;
    options.depth = depth;
    Bench bench(options);
    for (const std::uint64_t edge : {7, 8, 20}) bench.offer(edge, edge);
    bench.runner.run_until_answered("three requests");
    std::uint64_t number = 0;
    for (const std::uint64_t edge : {7, 8, 20}) {
      const RtlBeat& beat = bench.runner.beat(answer, number++);
      CHECK(beat.edge == edge + depth);
      CHECK(bench.runner.channel(answer).get(beat, answered_id) == edge);
    }
  }
}

TEST_CASE("beats that are not accepted wait, and leave in order", "[pure][rtl]") {
  PipelineModel::Options options;
  options.waits = true;
  Bench bench(options);
  bench.runner.stall({40, 7});
  for (std::uint64_t n = 0; n < 200; ++n) bench.offer(n, n + 1);
  bench.runner.run_until_answered("200 requests");
  std::uint64_t edge = 0;
  for (std::uint64_t n = 0; n < 200; ++n) {
    const RtlBeat& beat = bench.runner.beat(answer, n);
    CHECK(bench.runner.channel(answer).get(beat, answered_id) == n + 1);
    CHECK(!OutputStalls{40, 7}.at(answer, beat.edge));
    CHECK((n == 0 || beat.edge > edge));
    edge = beat.edge;
  }
  // Without stalls the last one leaves at edge 202; 60 clocks of 100 accept a beat.
  CHECK(edge > 290);
  CHECK(edge < 380);
}

TEST_CASE("a beat that changes before it is accepted is named", "[pure][rtl]") {
  Bench bench;  // ignores `m_ready`
  bench.runner.stall({40, 7});
  for (std::uint64_t n = 0; n < 20; ++n) bench.offer(n, n + 1);
  CHECK_THAT(bench.error(), Contains("rack.combinator breaks the rule `stable`: beat "));
}

TEST_CASE("idle edges are skipped, and a block that counts clocks sees all of them", "[pure][rtl]") {
  EdgeRunner::Options drain;
  drain.drain = 5;
  for (const bool free_running : {false, true}) {
    drain.free_running = free_running;
    Bench bench({}, drain);
    bench.runner.run_to(10'000);
    bench.offer(10'000, 1);
    bench.runner.run_until_answered("a request");
    CHECK(bench.runner.edge() == 10'004);  // the answer leaves at edge 10 003
    bench.runner.run_to(20'000);
    // One edge of the request, three registers, five edges that drain.
    CHECK(bench.runner.evaluated() == (free_running ? 20'000u : 4u + 5u));
    CHECK(bench.runner.edge() == 20'000);
    CHECK(bench.runner.idle() != free_running);
  }
}

TEST_CASE("a beat waits while the block is not ready", "[pure][rtl]") {
  PipelineModel::Options options;
  options.stall = 4;
  Bench bench(options);
  bench.offer(10, 1);
  bench.offer(11, 2);
  bench.runner.run_until_answered("two requests");
  // Ready falls after edge 10 for four clocks: edges 11 to 14.
  CHECK(bench.runner.beat(answer, 0).edge == 13);
  CHECK(bench.runner.accepted_at(request) == 15);
  CHECK(bench.runner.beat(answer, 1).edge == 18);
  bench.runner.run_to(30);
  CHECK(bench.runner.ready_at(request) == 20);
}

TEST_CASE("a request for an edge that has passed is an error", "[pure][rtl]") {
  Bench bench;
  bench.offer(10, 1);
  bench.runner.run_until_answered("a request");
  CHECK_THROWS_WITH(bench.offer(10, 2), Contains("rack.combinator: a request for edge 10 arrives after edge 13"));
  bench.offer(20, 2);
  CHECK_THROWS_WITH(bench.offer(19, 3), Contains("a request for edge 19 arrives after one for edge 20"));
}

TEST_CASE("wrong beats of a block are named with the rule", "[pure][rtl]") {
  PipelineModel::Options silent;
  silent.silent = true;
  Bench quiet(silent);
  quiet.offer(1, 1);
  CHECK(quiet.error() ==
        "rack.combinator breaks the rule `patience`: no answer to request 1 in 65536 clocks: `m_valid` never rose");

  PipelineModel::Options closed;
  closed.stall = 255;
  closed.stalls_again = true;
  Bench shut(closed);
  shut.offer(1, 1);
  shut.offer(2, 2);
  CHECK(shut.error("request 2") ==
        "rack.combinator breaks the rule `patience`: no answer to request 2 in 65536 clocks: "
        "`s_ready` and `m_valid` never rose");

  PipelineModel::Options doubled;
  doubled.doubled = true;
  Bench twice(doubled);
  twice.offer(1, 1);
  CHECK(twice.error() == "");
  CHECK_THROWS_WITH(twice.runner.run_to(100),
                    "rack.combinator breaks the rule `order`: a beat leaves at edge 5 that no request expects");

  PipelineModel::Options early;
  early.valid_in_reset = true;
  CHECK_THROWS_WITH(Bench(early), Contains("breaks the rule `reset`"));
}

TEST_CASE("a model without a pin, or with another width, is refused", "[pure][rtl]") {
  for (const char* pin : {"clk", "rst_n", "s_ready", "m_data"}) {
    PipelineModel::Options options;
    options.without = pin;
    CHECK_THROWS_WITH(Bench(options), Contains(std::string("rack.combinator has no pin `") + pin));
  }
  PipelineModel model(PipelineModel::Options{});
  CHECK_THROWS_WITH(EdgeRunner("block", combinator_pins(), {{"RANKS", 3}}, model, ClockDomain(1)),
                    "block has another width of pin `s_data` than 1536 bits");
}

TEST_CASE("a block returns to a mark, and answers as before", "[pure][rtl]") {
  for (const bool hazard : {false, true}) {
    PipelineModel::Options options;
    options.hazard = hazard;
    Bench bench(options);
    bench.runner.run_to(10);
    REQUIRE(bench.runner.mark());
    bench.offer(10, 1);
    bench.runner.run_until_answered("request 1");
    CHECK(bench.runner.edge() == 14);
    bench.runner.return_to_mark();
    CHECK(bench.runner.edge() == 10);
    // The second request enters while the first one leaves.
    bench.offer(12, 2);
    const std::string error = bench.error();
    if (hazard) {
      CHECK_THAT(error,
                 Contains("rack.combinator breaks the rule `overlap`: beat 0 leaves at edge 13 if no request follows, and "
                          "at edge 13 with other contents if one does"));
      continue;
    }
    CHECK(error == "");
    CHECK(bench.runner.beat(answer, 0).edge == 13);
    CHECK(bench.runner.beat(answer, 1).edge == 15);
  }
}

TEST_CASE("an answer that passes an earlier one is named with both requests", "[pure][rtl]") {
  PipelineModel::Options options;
  options.overtakes = true;
  Bench bench(options);
  bench.runner.run_to(10);
  REQUIRE(bench.runner.mark());
  bench.offer(10, 17);
  CHECK(bench.error() == "");
  bench.runner.return_to_mark();
  bench.offer(11, 18);
  CHECK(bench.error() == "rack.combinator breaks the rule `order`: answers request 18 at edge 13, before request 17");
}

TEST_CASE("a trace has each edge once, with all requests that are in the pipeline", "[pure][rtl]") {
  PipelineModel::Options options;
  options.traces = true;
  Bench bench(options);
  RequestPipeline pipeline(bench.runner);
  for (const std::uint64_t edge : {10, 12, 300}) {
    bench.offer(pipeline.begin(edge), edge);
    CHECK(bench.error() == "");
  }
  pipeline.reset();
  std::map<std::uint64_t, PipelineModel::Traced> all;
  std::uint64_t latest = 0;
  for (const auto& [time, pins] : bench.model.trace_log) {
    CHECK(time > latest);
    latest = time;
    all[time] = pins;
  }
  // The clock rises at an edge; inputs are those of this edge, and outputs those that the next edge samples.
  for (const unsigned edge : {10u, 12u, 300u}) {
    const PipelineModel::Traced &in = all.at(edge * 1000), &out = all.at((edge + 3) * 1000 - 500);
    CHECK((in.clk && in.s_valid && in.s_id == (edge & 0xFF)));
    CHECK((!out.clk && out.m_valid && out.m_id == (edge & 0xFF)));
  }
  CHECK(!all.at(11'000).s_valid);
  CHECK(latest == 303'000);
}

TEST_CASE("a reset forgets all beats and begins at edge 0", "[pure][rtl]") {
  Bench bench;
  bench.offer(100, 1);
  bench.runner.run_to(102);
  bench.runner.reset();
  CHECK(bench.runner.edge() == 0);
  CHECK(bench.runner.idle());
  bench.offer(1, 5);
  CHECK(bench.error() == "");
  CHECK(bench.runner.beat(answer, 0).edge == 4);
  CHECK(bench.runner.channel(answer).get(bench.runner.beat(answer, 0), answered_id) == 5);
}

TEST_CASE("probes show all pins at each edge from a request to its answer, as they are in the end", "[pure][rtl]") {
  Bench bench;
  ProbeDirectory directory;
  bench.runner.describe(directory, "rtl.");
  for (const FlatPin& pin : flat_pins(combinator_pins())) CHECK(directory.entries().count("rtl." + pin.name) == 1);
  CHECK(directory.entries().at("rtl.s_data").width == 1024);
  // The value of a pin in each time; a later firing of the same time replaces an earlier one.
  static std::map<std::string, std::map<Tick, std::uint64_t>> seen;
  seen.clear();
  static const std::vector<std::string> pins{"rtl.clk", "rtl.s_valid", "rtl.s_id", "rtl.m_valid", "rtl.m_id"};
  directory.for_each<SignalProbe>([](const std::string& name, SignalProbe& probe) {
    for (const std::string& pin : pins)
      if (pin == name)
        probe.attach(const_cast<std::string*>(&pin),
                     [](void* of, Tick when, std::uint64_t value) { seen[*static_cast<std::string*>(of)][when] = value; });
  });
  directory.for_each<WideProbe>([](const std::string& name, WideProbe& probe) {
    if (name == "rtl.s_data")
      probe.attach(nullptr, [](void*, Tick when, const std::uint8_t* bytes) { seen["rtl.s_data"][when] = bytes[0]; });
  });
  bench.runner.reset();
  bench.runner.run_to(10);
  REQUIRE(bench.runner.mark());
  bench.offer(10, 1);
  bench.runner.run_until_answered("request 1");
  bench.runner.show_idle();
  CHECK(seen["rtl.m_valid"].at(14'000) == 0);
  bench.runner.return_to_mark();
  bench.runner.run_to(12);
  bench.offer(12, 2);
  bench.runner.run_until_answered("request 2");
  bench.runner.show_idle();
  using Values = std::map<Tick, std::uint64_t>;
  CHECK(seen["rtl.s_valid"] ==
        Values{{10'000, 1}, {11'000, 0}, {12'000, 1}, {13'000, 0}, {14'000, 0}, {15'000, 0}, {16'000, 0}});
  CHECK(seen["rtl.m_valid"] ==
        Values{{10'000, 0}, {11'000, 0}, {12'000, 0}, {13'000, 1}, {14'000, 0}, {15'000, 1}, {16'000, 0}});
  CHECK((seen["rtl.s_id"].at(10'000) == 1 && seen["rtl.s_id"].at(12'000) == 2));
  CHECK((seen["rtl.m_id"].at(13'000) == 1 && seen["rtl.m_id"].at(15'000) == 2));
  CHECK((seen["rtl.clk"].at(10'000) == 1 && seen["rtl.clk"].at(10'500) == 0));
  CHECK(seen["rtl.clk"].begin()->first == 10'000);
  CHECK(seen["rtl.s_data"].count(12'000) == 1);
}

}  // namespace tributary::test_edge_runner
