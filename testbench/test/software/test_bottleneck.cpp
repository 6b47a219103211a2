// The bottleneck of a run: the rule that selects among candidates, and the times of levels that it uses
// (docs/bottleneck.md).

#include <catch2/catch.hpp>

#include "testbench/observe/level_times.h"
#include "testbench/run/bottleneck_rules.h"
#include "testbench/run/run_spec.h"

using namespace tributary;

namespace {

BottleneckCandidate busy(BottleneckCause cause, double share) {
  return {cause, BottleneckKind::busy, "m", "C", name_of(cause), share};
}
BottleneckCandidate room(BottleneckCause cause, double share) {
  return {cause, BottleneckKind::room, "m", "C", name_of(cause), share};
}
BottleneckCandidate rest() { return {BottleneckCause::start_up, BottleneckKind::rest, "", "", "latency", 0}; }

BottleneckCause cause_of(const std::vector<BottleneckCandidate>& all) { return bottleneck_of(all).value().cause; }

}  // namespace

TEST_CASE("bottleneck: no candidates give no bottleneck", "[bottleneck]") { CHECK_FALSE(bottleneck_of({}).has_value()); }

TEST_CASE("bottleneck: a module that is nearly always busy precedes the waits for it", "[bottleneck]") {
  const auto bottleneck = bottleneck_of(
      {busy(BottleneckCause::link, 0.97), room(BottleneckCause::waves, 0.99), busy(BottleneckCause::crossbar, 0.5), rest()});
  REQUIRE(bottleneck);
  CHECK(bottleneck->cause == BottleneckCause::link);
  REQUIRE(bottleneck->next);
  CHECK(bottleneck->next->cause == BottleneckCause::crossbar);
}

TEST_CASE("bottleneck: if no module is saturated, a lack of room is the bottleneck", "[bottleneck]") {
  CHECK(cause_of({busy(BottleneckCause::link, 0.7), room(BottleneckCause::waves, 0.6), rest()}) == BottleneckCause::waves);
  CHECK(cause_of({busy(BottleneckCause::link, 0.7), room(BottleneckCause::waves, 0.4), rest()}) == BottleneckCause::link);
}

TEST_CASE("bottleneck: the lack of room nearer to its cause precedes the other", "[bottleneck]") {
  CHECK(cause_of({room(BottleneckCause::waves, 0.9), room(BottleneckCause::credits, 0.6), rest()}) ==
        BottleneckCause::credits);
  CHECK(cause_of({room(BottleneckCause::credits, 0.4), room(BottleneckCause::waves, 0.9), rest()}) ==
        BottleneckCause::waves);
}

TEST_CASE("bottleneck: a table that refuses half of the time precedes the links of the refused packets", "[bottleneck]") {
  CHECK(cause_of({busy(BottleneckCause::link, 0.99), room(BottleneckCause::table_full, 0.6), rest()}) ==
        BottleneckCause::table_full);
  CHECK(cause_of({busy(BottleneckCause::link, 0.99), room(BottleneckCause::table_full, 0.4), rest()}) ==
        BottleneckCause::link);
}

TEST_CASE("bottleneck: time that a lack of room explains is not start-up", "[bottleneck]") {
  const auto bottleneck = bottleneck_of({busy(BottleneckCause::link, 0.1), room(BottleneckCause::waves, 0.95), rest()});
  REQUIRE(bottleneck);
  REQUIRE(bottleneck->next);
  CHECK(bottleneck->next->cause == BottleneckCause::link);
}

TEST_CASE("bottleneck: a run in which nothing is busy for most of the time is bounded by its start-up", "[bottleneck]") {
  const auto bottleneck = bottleneck_of({busy(BottleneckCause::link, 0.1), rest()});
  REQUIRE(bottleneck);
  CHECK(bottleneck->cause == BottleneckCause::start_up);
  CHECK(bottleneck->share == Approx(0.9));
  CHECK(bottleneck->parameter == "latency");
  REQUIRE(bottleneck->next);
  CHECK(bottleneck->next->cause == BottleneckCause::link);
}

TEST_CASE("bottleneck: the time of a path is divided among its latencies in proportion", "[bottleneck]") {
  std::vector<BottleneckCandidate> all{busy(BottleneckCause::link, 0.2)};
  add_path({{"switch", 300}, {"memory", 100}, {"none", 0}}, all);
  const auto bottleneck = bottleneck_of(all);
  REQUIRE(bottleneck);
  CHECK(bottleneck->cause == BottleneckCause::start_up);
  CHECK(bottleneck->parameter == "switch");
  CHECK(bottleneck->share == Approx(0.6));
  REQUIRE(bottleneck->next);
  CHECK(bottleneck->next->share == Approx(0.2));
  all.front().share = 0.1;  // 0.9 of the time: 0.675 and 0.225
  CHECK(bottleneck_of(all)->next->parameter == "memory");
  CHECK(bottleneck_of(all)->next->share == Approx(0.225));
  all.front().share = 0.85;
  CHECK(bottleneck_of(all)->next->share == Approx(0.75 * 0.15));
}

TEST_CASE("bottleneck: a candidate without a latency is not the next bottleneck", "[bottleneck]") {
  BottleneckCandidate unknown = rest();
  unknown.parameter.clear();
  CHECK_FALSE(bottleneck_of({busy(BottleneckCause::link, 0.9), unknown})->next.has_value());
  CHECK(bottleneck_of({busy(BottleneckCause::link, 0.1), unknown})->cause == BottleneckCause::start_up);
}

TEST_CASE("bottleneck: retransmission precedes busy links that it keeps from being saturated", "[bottleneck]") {
  CHECK(cause_of({busy(BottleneckCause::link, 0.62), room(BottleneckCause::retransmission, 0.3), rest()}) ==
        BottleneckCause::retransmission);
  CHECK(cause_of({busy(BottleneckCause::link, 0.62), room(BottleneckCause::retransmission, 0.1), rest()}) ==
        BottleneckCause::link);
  CHECK(cause_of({busy(BottleneckCause::link, 0.85), room(BottleneckCause::retransmission, 0.3), rest()}) ==
        BottleneckCause::link);
}

TEST_CASE("bottleneck: the mean length of a path is all bytes over the bytes that leave endpoints", "[bottleneck]") {
  ResultRow row;
  row.links = {
      {"gpu0.port0>switch0.port0", 100, 0}, {"switch0.port0>switch1.port0", 50, 0}, {"switch0.port1>gpu1.port0", 100, 0}};
  CHECK(mean_links(row, "gpu") == 2.5);
  CHECK(mean_links({}, "gpu") == 1);
}

TEST_CASE("bottleneck: a candidate removed by the same parameter is not the next bottleneck", "[bottleneck]") {
  BottleneckCandidate same = busy(BottleneckCause::crossbar, 0.85);
  same.parameter = name_of(BottleneckCause::link);
  const auto bottleneck = bottleneck_of({busy(BottleneckCause::link, 0.9), same, busy(BottleneckCause::compute, 0.2)});
  REQUIRE(bottleneck);
  REQUIRE(bottleneck->next);
  CHECK(bottleneck->next->cause == BottleneckCause::compute);
}

TEST_CASE("bottleneck: a claim holds the parameters that it names, and none if it names none", "[bottleneck]") {
  const auto link = bottleneck_of({busy(BottleneckCause::link, 0.9), rest()});
  REQUIRE(link);
  CHECK(link->claim == BottleneckClaim::named);
  CHECK(link->parameters == std::vector<std::string>{"link"});
  CHECK(std::string(name_of(link->claim)) == "named");
  BottleneckCandidate unknown = rest();
  unknown.parameter.clear();
  const auto none = bottleneck_of({unknown});
  REQUIRE(none);
  CHECK(none->claim == BottleneckClaim::unnamed);
  CHECK(none->parameters.empty());
}

TEST_CASE("bottleneck: shares are 0 to 1", "[bottleneck]") {
  CHECK(bottleneck_of({busy(BottleneckCause::credits, 1.3), rest()})->share == 1);
  CHECK(bottleneck_of({busy(BottleneckCause::link, 0), rest()})->share == 1);
}

TEST_CASE("bottleneck: its text has module, share and parameter", "[bottleneck]") {
  BottleneckCandidate link{
      BottleneckCause::link, BottleneckKind::busy, "gpu0.port0>switch0_0.port0", "Link", "nvswitch.link.rate", 0.978};
  CHECK(bottleneck_text(bottleneck_of({link}).value()) == "link gpu0.port0>switch0_0.port0, 97.8% (nvswitch.link.rate)");
  CHECK(bottleneck_text(bottleneck_of({link, busy(BottleneckCause::crossbar, 0.49)}).value()) ==
        "link gpu0.port0>switch0_0.port0, 97.8% (nvswitch.link.rate); next crossbar m, 49.0% (crossbar)");
}

TEST_CASE("level times: stretches within the bounds count, up to an end within one", "[bottleneck]") {
  SignalProbe full, other;
  ProbeDirectory probes;
  probes.add_signal("p.switch0.table.occupancy", full, SignalKind::level, 16, "");
  probes.add_signal("p.switch1.table.occupancy", other, SignalKind::level, 16, "");
  LevelTimes levels;
  const LevelTimes::Group& group = levels.add(probes, "*.occupancy", {2, ~std::uint64_t{0}, false});
  full(100, 2), full(150, 3), full(160, 1);  // 60
  full(200, 2);                              // open
  other(100, 1), other(300, 0);              // never
  const LevelTimes::Level* most = longest(group, 230);
  REQUIRE(most != nullptr);
  CHECK(most->name == "p.switch0.table.occupancy");
  CHECK(most->until(230) == 90);
  CHECK(most->changes == 4);
  levels.reset();
  CHECK(longest(group, 1000)->until(1000) == 0);
}

TEST_CASE("level times: an empty queue at the end of the work is not a wait", "[bottleneck]") {
  SignalProbe credits;
  ProbeDirectory probes;
  probes.add_signal("p.gpu0.dma.credits", credits, SignalKind::level, 32, "");
  LevelTimes levels;
  const LevelTimes::Group& group = levels.add(probes, "*.dma.credits", {0, 0, true});
  credits(10, 64), credits(20, 0), credits(50, 64), credits(60, 0);
  CHECK(longest(group, 1000)->until(1000) == 30);
}

TEST_CASE("bottleneck finder: it finds the busiest link and the module that was busy longest, with their shares",
          "[bottleneck]") {
  SignalProbe a, b;
  ProbeDirectory probes;
  probes.add_signal("p.nic0.nic.reduction.busy", a, SignalKind::level, 1, "");
  probes.add_signal("p.nic1.nic.reduction.busy", b, SignalKind::level, 1, "");
  BottleneckRules rules;
  rules.link_parameter = [](std::size_t link) { return "link" + std::to_string(link); };
  rules.watches.push_back(
      {"*.reduction.busy", {}, {BottleneckCause::compute, BottleneckKind::busy, "", "ReductionUnit", "units", 0}});
  BottleneckFinder finder(rules, probes);
  a(1000, 1), a(1100, 0);
  finder.reset();
  a(2000, 1), a(2100, 0), b(2000, 1), b(2850, 0);
  ResultRow row;
  row.links = {{"x>y", 10, 0.1}, {"y>x", 20, 0.2}};
  const auto bottleneck = finder.bottleneck(row, 2000, 3000);
  REQUIRE(bottleneck);
  CHECK(bottleneck->cause == BottleneckCause::compute);
  CHECK(bottleneck->module == "nic1.nic.reduction");
  CHECK(bottleneck->share == Approx(0.85));
  REQUIRE(bottleneck->next);
  CHECK(bottleneck->next->module == "y>x");
  CHECK(bottleneck->next->parameter == "link1");
}
