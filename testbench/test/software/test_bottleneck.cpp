// The bottleneck of a run: the rule that selects among candidates, and the times of levels that it uses
// (docs/bottleneck.md).

#include <catch2/catch.hpp>

#include "testbench/observe/level_times.h"
#include "testbench/run/bottleneck_rules.h"
#include "testbench/run/run_spec.h"

namespace tributary::test_bottleneck {
namespace {

BottleneckCandidate busy(BottleneckCause cause, double share) {
  return {cause, BottleneckKind::busy, "m", "C", name_of(cause), share};
}
BottleneckCandidate room(BottleneckCause cause, double share) {
  return {cause, BottleneckKind::room, "m", "C", name_of(cause), share};
}
/// Returns an account of a run of 100 ps.
BottleneckAccount account(std::vector<BottleneckCandidate> resources, std::vector<PathPart> path = {}) {
  BottleneckAccount all;
  all.time = 100;
  all.resources = std::move(resources);
  all.path = std::move(path);
  return all;
}
BottleneckNeed need(double used) { return {BottleneckCause::link, BottleneckCause::table_full, "bytes", used}; }

using Names = std::vector<std::string>;
constexpr BottleneckClaim named = BottleneckClaim::named, together = BottleneckClaim::together,
                          unnamed = BottleneckClaim::unnamed;

void check(const BottleneckAccount& of, BottleneckClaim claim, const Names& parameters) {
  const auto bottleneck = bottleneck_of(of);
  REQUIRE(bottleneck);
  CHECK(bottleneck->claim == claim);
  CHECK(bottleneck->parameters == parameters);
}

}  // namespace

TEST_CASE("bottleneck: a run without resources and path has none", "[bottleneck]") {
  CHECK_FALSE(bottleneck_of({}).has_value());
}

TEST_CASE("bottleneck: a busy resource is named if it and the path explain the time", "[bottleneck]") {
  check(account({busy(BottleneckCause::link, 0.74)}, {{"latency", 26}}), named, {"link"});
  check(account({busy(BottleneckCause::link, 0.74)}, {{"latency", 19}}), named, {"link"});  // 0.93
  check(account({busy(BottleneckCause::link, 0.74)}, {{"latency", 17}}), unnamed, {});      // 0.91
  check(account({busy(BottleneckCause::link, 0.74)}, {{"latency", 33}}), named, {"link"});  // 1.07
  check(account({busy(BottleneckCause::link, 0.74)}, {{"latency", 36}}), unnamed, {});      // 1.10
  check(account({busy(BottleneckCause::link, 0.5)}), unnamed, {});
  check(account({busy(BottleneckCause::link, 0.97)}), named, {"link"});
}

TEST_CASE("bottleneck: a path of unknown length closes no account", "[bottleneck]") {
  BottleneckAccount part = account({busy(BottleneckCause::link, 0.74)}, {{"latency", 26}});
  part.whole_path = false;
  check(part, unnamed, {});
  CHECK(bottleneck_of(part)->path_share == 0);
}

TEST_CASE("bottleneck: the longest latency is named if the path explains the time", "[bottleneck]") {
  check(account({busy(BottleneckCause::link, 0.1)}, {{"switch", 60}, {"memory", 30}}), named, {"switch"});
  check(account({busy(BottleneckCause::link, 0.5)}, {{"switch", 60}, {"memory", 30}}), unnamed, {});  // 0.9 and 1.4
  const auto start = bottleneck_of(account({busy(BottleneckCause::link, 0.1)}, {{"switch", 60}, {"memory", 30}}));
  CHECK(start->cause == BottleneckCause::start_up);
  CHECK(start->share == Approx(0.9));
  CHECK(start->path_share == Approx(0.9));
  CHECK(start->module.empty());
}

TEST_CASE("bottleneck: resources with nearly equal shares are named together", "[bottleneck]") {
  check(account({busy(BottleneckCause::link, 0.97), busy(BottleneckCause::crossbar, 0.89)}), together, {"link", "crossbar"});
  check(account({busy(BottleneckCause::link, 0.97), busy(BottleneckCause::crossbar, 0.86)}), named, {"link"});
  check(account({busy(BottleneckCause::link, 0.5)}, {{"switch", 45}}), together, {"link", "switch"});
  check(account({}, {{"switch", 50}, {"memory", 47}}), together, {"switch", "memory"});
  check(account({}, {{"switch", 55}, {"memory", 45}}), named, {"switch"});
}

TEST_CASE("bottleneck: a chain explains the time alone, and names its longest part", "[bottleneck]") {
  BottleneckAccount all = account({busy(BottleneckCause::link, 0.5)}, {{"latency", 45}, {"adding", 5}});
  check(all, together, {"link", "latency"});  // a path of latencies adds to the work of the link
  all.chain = true;                           // 0.5 of the time is missing in the chain
  check(all, unnamed, {});
  all.path = {{"link", 70}, {"latency", 28}};
  check(all, named, {"link"});
  CHECK(bottleneck_of(all)->cause == BottleneckCause::chain);  // transfers over several links
  all.resources = {busy(BottleneckCause::link, 0.65)};
  check(all, named, {"link"});
  CHECK(bottleneck_of(all)->cause == BottleneckCause::link);  // one link does them all
  CHECK(bottleneck_of(all)->module == "m");
  all.needs = {need(1.2)};
  check(all, together, {"link", "bytes"});
  all.path = {{"link", 28}, {"latency", 70}};
  check(all, named, {"latency"});
  CHECK(bottleneck_of(all)->cause == BottleneckCause::chain);
  all.path = {{"link", 50}, {"latency", 47}};
  all.needs.clear();
  check(all, together, {"link", "latency"});
}

TEST_CASE("bottleneck: the parameters of a wait are named together", "[bottleneck]") {
  BottleneckAccount all = account({});
  all.chain = true;
  all.path = {{"queues", 60, {{"link", 40}}}, {"link", 30}, {"latency", 8}};  // 70 of the time depends on the link
  check(all, together, {"queues", "link"});
  all.path = {{"queues", 60, {{"link", 4}, {"latency", 50}}}, {"link", 30}, {"latency", 8}};
  check(all, together, {"queues", "latency"});
  all.path = {{"queues", 60, {{"link", 4}}}, {"link", 30}, {"latency", 8}};  // too little to be named
  check(all, named, {"queues"});
  all.path = {{"queues", 60, {{"link", 30}, {"latency", 12}}}, {"link", 30}, {"latency", 8}};  // more depends on the link
  check(all, together, {"queues", "link"});
  all.path = {{"adding", 46}, {"queues", 34, {{"link", 30}}}, {"link", 20}};  // 50 depends on the link
  check(all, together, {"adding", "queues", "link"});
  all.path = {{"adding", 60}, {"queues", 20, {{"link", 15}}}, {"link", 20}};
  check(all, named, {"adding"});
  all.path = {{"queues", 98, {{"link", 90}}}};  // no copy of the chain itself crosses links
  check(all, together, {"queues", "link"});
}

TEST_CASE("bottleneck: a need that faster links exceed is named with them", "[bottleneck]") {
  BottleneckAccount all = account({busy(BottleneckCause::link, 0.97)});
  all.needs = {need(1.3)};
  check(all, together, {"link", "bytes"});
  CHECK(bottleneck_of(all)->with == std::vector<BottleneckCause>{BottleneckCause::table_full});
  all.needs = {need(0.9)};
  check(all, named, {"link"});
  all.resources = {busy(BottleneckCause::compute, 0.97)};  // the need is that of links
  all.needs = {need(1.3)};
  check(all, named, {"compute"});
}

TEST_CASE("bottleneck: a disturbed run names only the resource that disturbs it", "[bottleneck]") {
  BottleneckAccount all = account({busy(BottleneckCause::link, 0.97)});
  all.disturb(0.14, BottleneckCause::padding, " of the bytes are padding");
  check(all, unnamed, {});
  CHECK(bottleneck_text(*bottleneck_of(all)) == "unnamed; seen: link m 97.0%; 14.0% of the bytes are padding");
  all.resources = {busy(BottleneckCause::padding, 0.97)};
  check(all, named, {"padding"});
  all.resources = {busy(BottleneckCause::link, 0.97)};
  all.disturbed = 0.009;
  check(all, named, {"link"});
}

TEST_CASE("bottleneck: the line of an unnamed run shows its disturbance, even if the time is unexplained", "[bottleneck]") {
  BottleneckAccount all = account({busy(BottleneckCause::link, 0.5)});
  all.disturb(0.14, BottleneckCause::padding, " of the bytes are padding");
  CHECK(bottleneck_text(*bottleneck_of(all)) == "unnamed; seen: link m 50.0%; 14.0% of the bytes are padding");
  all.disturbed = 0.009;
  CHECK(bottleneck_text(*bottleneck_of(all)) == "unnamed; seen: link m 50.0%");
  all.note(0.14, " of the bytes are padding");
  CHECK(bottleneck_text(*bottleneck_of(all)) == "unnamed; seen: link m 50.0%; 14.0% of the bytes are padding");
  all.resources = {busy(BottleneckCause::link, 0.97)};
  CHECK(bottleneck_text(*bottleneck_of(all)) == "link m, 97.0% (link); 14.0% of the bytes are padding");
}

TEST_CASE("bottleneck: a lack of room is named if no busy resource explains the time", "[bottleneck]") {
  check(account({busy(BottleneckCause::link, 0.97), room(BottleneckCause::waves, 0.99)}), named, {"link"});
  check(account({busy(BottleneckCause::link, 0.4), room(BottleneckCause::waves, 0.95)}), named, {"waves"});
  check(account({busy(BottleneckCause::link, 0.4), room(BottleneckCause::waves, 0.7)}), unnamed, {});
}

TEST_CASE("bottleneck: the lack of room nearest to its origin is named", "[bottleneck]") {
  check(account({room(BottleneckCause::waves, 0.98), room(BottleneckCause::table_full, 0.93)}), named, {"table_full"});
  check(account({room(BottleneckCause::table_full, 0.4), room(BottleneckCause::waves, 0.93)}), named, {"waves"});
}

TEST_CASE("bottleneck: a resource without a parameter is unnamed", "[bottleneck]") {
  BottleneckCandidate link = busy(BottleneckCause::link, 0.97);
  link.parameter.clear();
  check(account({link}), unnamed, {});
}

TEST_CASE("bottleneck: at most five resources are seen, the largest share first", "[bottleneck]") {
  const auto all = bottleneck_of(
      account({busy(BottleneckCause::memory, 0.2), busy(BottleneckCause::link, 0.3), busy(BottleneckCause::crossbar, 0.1),
               busy(BottleneckCause::compute, 0.05), room(BottleneckCause::waves, 1.4), room(BottleneckCause::window, 0)},
              {{"latency", 15}}));
  REQUIRE(all);
  REQUIRE(all->seen.size() == bottleneck_seen);
  CHECK(all->seen[0].share == 1);
  CHECK(all->seen[1].cause == BottleneckCause::link);
  CHECK(all->seen[2].cause == BottleneckCause::memory);
  CHECK(all->seen[3].cause == BottleneckCause::start_up);
  CHECK(all->seen[4].cause == BottleneckCause::crossbar);
}

TEST_CASE("bottleneck: the largest of shares that follow one another is named", "[bottleneck]") {
  const auto most = largest_share({busy(BottleneckCause::link, 0.3), busy(BottleneckCause::compute, 0.7)});
  REQUIRE(most);
  CHECK(most->claim == named);
  CHECK(most->parameters == Names{"compute"});
  CHECK(most->seen.size() == 2);
  CHECK_FALSE(largest_share({}).has_value());
}

TEST_CASE("bottleneck: the mean length of a path is all bytes over the bytes that leave endpoints", "[bottleneck]") {
  ResultRow row;
  row.links = {
      {"gpu0.port0>switch0.port0", 100, 0}, {"switch0.port0>switch1.port0", 50, 0}, {"switch0.port1>gpu1.port0", 100, 0}};
  CHECK(mean_links(row, "gpu") == 2.5);
  CHECK(mean_links({}, "gpu") == 1);
}

TEST_CASE("bottleneck: its text has module, share and parameters", "[bottleneck]") {
  BottleneckCandidate link{
      BottleneckCause::link, BottleneckKind::busy, "gpu0.port0>switch0_0.port0", "Link", "nvswitch.link.rate", 0.978};
  BottleneckAccount all = account({link});
  CHECK(bottleneck_text(*bottleneck_of(all)) == "link gpu0.port0>switch0_0.port0, 97.8% (nvswitch.link.rate)");
  all.needs = {need(2), {BottleneckCause::link, BottleneckCause::waves, "waves", 1.1}};
  CHECK(bottleneck_text(*bottleneck_of(all)) ==
        "link gpu0.port0>switch0_0.port0, 97.8%, with table_full and waves: improve nvswitch.link.rate, bytes and waves "
        "together");
  CHECK(bottleneck_parameters(*bottleneck_of(all)) == "nvswitch.link.rate+bytes+waves");
  CHECK(bottleneck_name(*bottleneck_of(all)) == "link");
  all.resources[0].share = 0.5;
  CHECK(bottleneck_text(*bottleneck_of(all)) == "unnamed; seen: link gpu0.port0>switch0_0.port0 50.0%");
  CHECK(bottleneck_name(*bottleneck_of(all)) == "unnamed");
}

TEST_CASE("bottleneck: buffers that are slower than the links are a resource, others a need", "[bottleneck]") {
  ResultRow row;
  row.links = {{"a.port0>b.port1", 80, 0.4}};
  const BottleneckInput in{row, 100};
  const BottleneckCandidate says{BottleneckCause::credits, BottleneckKind::busy, "", "InputBuffer", "flits"};
  BottleneckAccount slow = account({});
  add_credits(in, says, {1, 1, 2}, slow);
  REQUIRE(slow.resources.size() == 1);
  CHECK(slow.resources[0].share == Approx(0.8));
  CHECK(slow.resources[0].module == "b.port1.input");
  CHECK(slow.needs.empty());
  BottleneckAccount enough = account({});
  add_credits(in, says, {2, 2.2, 2}, enough);
  CHECK(enough.resources.empty());
  REQUIRE(enough.needs.size() == 1);
  CHECK(enough.needs[0].used == Approx(bottleneck_headroom * 2 / 2.2));
  BottleneckAccount follows = account({});
  add_credits(in, says, {2, 2.2, 2, true}, follows);
  CHECK(follows.needs.empty());
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
  a(2000, 1), a(2100, 0), b(2000, 1), b(2950, 0);
  ResultRow row;
  row.links = {{"x>y", 10, 0.1}, {"y>x", 20, 0.2}};
  const auto bottleneck = finder.bottleneck(row, 2000, 3000);
  REQUIRE(bottleneck);
  CHECK(bottleneck->cause == BottleneckCause::compute);
  CHECK(bottleneck->module == "nic1.nic.reduction");
  CHECK(bottleneck->share == Approx(0.95));
  REQUIRE(bottleneck->seen.size() == 2);
  CHECK(bottleneck->seen[1].module == "y>x");
}

TEST_CASE("bottleneck finder: flows have links and a path alone", "[bottleneck]") {
  BottleneckRules rules;
  rules.link_parameter = [](std::size_t) { return "rate"; };
  rules.amend = [](const BottleneckInput&, BottleneckAccount& all) {
    all.add(busy(BottleneckCause::credits, 1)), all.needs = {need(2)}, all.disturb(0.5, BottleneckCause::padding, "");
  };
  ResultRow row;
  row.links = {{"x>y", 10, 0.98}};
  rules.flows = true;
  const auto bottleneck = BottleneckFinder(rules, ProbeDirectory()).bottleneck(row, 0, 1000);
  REQUIRE(bottleneck);
  CHECK(bottleneck->parameters == Names{"rate"});
  CHECK(bottleneck->seen.size() == 1);
  rules.flows = false;
  CHECK(BottleneckFinder(rules, ProbeDirectory()).bottleneck(row, 0, 1000)->claim == unnamed);
}

}  // namespace tributary::test_bottleneck
