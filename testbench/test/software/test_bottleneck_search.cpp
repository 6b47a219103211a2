// The search for the bottleneck by reruns, over made-up functions of parameters.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <set>

#include "testbench/measure/bottleneck_search.h"

namespace tributary::test_bottleneck_search {

using namespace tributary::measure;
using Catch::Matchers::WithinAbs;

namespace {

using Values = std::map<std::string, double>;

Parameter number(const std::string& path, ParameterRole role, double value) {
  Parameter p;
  p.path = path, p.role = role, p.value = std::to_string(value), p.number = value, p.whole = false;
  return p;
}

Parameter name(const std::string& path, const std::string& value, std::vector<std::string> choices) {
  Parameter p;
  p.path = path, p.value = value, p.choices = std::move(choices);
  return p;
}

/// A machine whose time is a function of its parameters. Names count as their position in the list of choices.
class MadeUp final : public TrialRunner {
 public:
  MadeUp(std::vector<Parameter> parameters, std::function<double(const Values&)> time)
      : parameters_(std::move(parameters)), time_(std::move(time)) {}

  std::vector<Outcome> run(const std::vector<Trial>& trials) override {
    std::vector<Outcome> outcomes;
    for (const Trial& trial : trials) outcomes.push_back(outcome_of(trial));
    return outcomes;
  }
  Finding search(const std::vector<std::string>& first = {}) {
    return BottleneckSearch(parameters_, first, *this, message).run();
  }

  double message = 0;  ///< bytes

  std::function<bool(const Values&)> legal = [](const Values&) { return true; };
  double noise = 0;            ///< time that each further seed adds, relative
  std::size_t budget = 10000;  ///< trials that run
  std::vector<Trial> asked;

 private:
  Outcome outcome_of(const Trial& trial) {
    asked.push_back(trial);
    if (asked.size() > budget) return {};
    Values values;
    for (const Parameter& p : parameters_) {
      const auto changed = trial.changes.find(p.path);
      const std::string text = changed == trial.changes.end() ? p.value : changed->second;
      const auto choice = std::find(p.choices.begin(), p.choices.end(), text);
      values[p.path] = p.choices.empty() ? std::stod(text) : static_cast<double>(choice - p.choices.begin());
    }
    if (!legal(values)) return {TrialState::refused, 0, "", "not legal together"};
    const double time = time_(values) * (1 + noise * trial.seed);
    return {TrialState::done, time, std::to_string(time), ""};
  }

  std::vector<Parameter> parameters_;
  std::function<double(const Values&)> time_;
};

constexpr auto rate = ParameterRole::rate, cycle = ParameterRole::cycle, delay = ParameterRole::delay,
               room = ParameterRole::room, shape = ParameterRole::shape;

std::set<std::string> named(const Finding& finding) {
  std::set<std::string> paths;
  for (const Move& move : finding.bottleneck) paths.insert(finding.parameters[move.parameter].path);
  return paths;
}

using Paths = std::set<std::string>;

}  // namespace

TEST_CASE("a single parameter that bounds a run is named with its gain", "[pure][bottleneck]") {
  MadeUp machine({number("m.link.rate", rate, 10), number("m.switch.latency", delay, 1)},
                 [](const Values& v) { return 90 / v.at("m.link.rate") + v.at("m.switch.latency"); });
  const Finding finding = machine.search();
  CHECK(finding.verdict == Verdict::single);
  CHECK(named(finding) == Paths{"m.link.rate"});
  CHECK_THAT(finding.gain, WithinAbs(0.45, 1e-9));
  CHECK_THAT(*finding.elasticity(0), WithinAbs(std::log(0.82) / std::log(1.25), 1e-9));
  CHECK_THAT(finding.best(1)->gain, WithinAbs(0.05, 1e-9));
}

TEST_CASE("parameters that bind together are named together", "[pure][bottleneck]") {
  MadeUp machine({number("m.link.rate", rate, 10), number("m.table.bytes", room, 10), number("m.dma.waves", room, 20),
                  number("m.switch.latency", delay, 1)},
                 [](const Values& v) {
                   return 100 / std::min({v.at("m.link.rate"), v.at("m.table.bytes"), v.at("m.dma.waves") / 2}) +
                          v.at("m.switch.latency") / 10;
                 });
  const Finding finding = machine.search();
  CHECK(finding.verdict == Verdict::together);
  CHECK(named(finding) == Paths{"m.link.rate", "m.table.bytes", "m.dma.waves"});
  CHECK_THAT(finding.gain, WithinAbs(5 / 10.1, 1e-9));
  CHECK_THAT(finding.joint->all, WithinAbs(5 / 10.1, 1e-9));
}

TEST_CASE("a table that halving the latency would hide is part of the joint bottleneck", "[pure][bottleneck]") {
  const auto time = [](const Values& v) {
    return 100 / std::min(v.at("m.link.rate"), v.at("m.table.bytes") / v.at("m.switch.latency"));
  };
  MadeUp machine({number("m.link.rate", rate, 1), number("m.table.bytes", room, 8), number("m.switch.latency", delay, 8)},
                 time);
  const Finding finding = machine.search();
  CHECK(finding.verdict == Verdict::together);
  CHECK(named(finding) == Paths{"m.link.rate", "m.table.bytes"});
}

TEST_CASE("one of two parameters that replace each other joins the bottleneck", "[pure][bottleneck]") {
  MadeUp machine({number("m.link.rate", rate, 1), number("m.dma.waves", room, 1), number("m.crossbar.speedup", rate, 1)},
                 [](const Values& v) {
                   return 1 / std::min(v.at("m.link.rate"), std::max(v.at("m.dma.waves"), v.at("m.crossbar.speedup")));
                 });
  const Finding finding = machine.search();
  CHECK(finding.verdict == Verdict::together);
  CHECK(finding.bottleneck.size() == 2);
  CHECK(named(finding).count("m.link.rate") == 1);
}

TEST_CASE("a faster link that makes tables thrash is worse alone and named with its table", "[pure][bottleneck]") {
  MadeUp machine({number("m.link.rate", rate, 1), number("m.table.bytes", room, 1)}, [](const Values& v) {
    return v.at("m.table.bytes") < v.at("m.link.rate") ? 160 : 100 / v.at("m.link.rate");
  });
  const Finding finding = machine.search();
  CHECK(finding.step(0, 2)->gain < 0);
  CHECK(*finding.elasticity(0) > 0);
  CHECK(finding.verdict == Verdict::together);
  CHECK(named(finding) == Paths{"m.link.rate", "m.table.bytes"});
}

TEST_CASE("a member that only another unneeded one requires is dropped", "[pure][bottleneck]") {
  MadeUp machine({number("m.link.rate", rate, 1), number("m.table.bytes", room, 1), number("m.dma.waves", room, 1),
                  number("m.memory.queue", room, 1)},
                 [](const Values& v) {
                   const double thrash = v.at("m.dma.waves") > v.at("m.memory.queue") ? 1.6 : 1;
                   return 100 * thrash / std::min(v.at("m.link.rate"), v.at("m.table.bytes"));
                 });
  const Finding finding = machine.search();
  CHECK(finding.verdict == Verdict::together);
  CHECK(named(finding) == Paths{"m.link.rate", "m.table.bytes"});
}

TEST_CASE("a ladder shows where the gain of a parameter saturates", "[pure][bottleneck]") {
  MadeUp machine({number("m.streams.queues", room, 1)},
                 [](const Values& v) { return 1000 / std::min(v.at("m.streams.queues"), 16.0) + 1; });
  const Finding finding = machine.search();
  CHECK(finding.verdict == Verdict::single);
  REQUIRE(finding.single_ladder.saturated() != nullptr);
  CHECK(finding.single_ladder.saturated()->factor == 16);
  CHECK(finding.single_ladder.saturated()->moves.front().to == "16");
  CHECK(finding.single_ladder.rungs.back().factor == 32);
}

TEST_CASE("a gain that a quarter already reaches saturates at the first rung", "[pure][bottleneck]") {
  MadeUp machine({number("m.nccl.link_rate", rate, 20), number("m.nvlink.rate", rate, 23)},
                 [](const Values& v) { return 1000 / std::min(v.at("m.nccl.link_rate"), v.at("m.nvlink.rate")); });
  const Finding finding = machine.search();
  CHECK_THAT(finding.step(0, 2)->gain, WithinAbs(finding.step(0, 1.25)->gain, 1e-12));
  CHECK(finding.verdict == Verdict::together);
  CHECK(named(finding) == Paths{"m.nccl.link_rate", "m.nvlink.rate"});
}

TEST_CASE("parameters with equal gains are one resource", "[pure][bottleneck]") {
  MadeUp machine({number("m.unit.clock", cycle, 4), number("m.unit.cycles", cycle, 8), number("m.link.rate", rate, 1)},
                 [](const Values& v) { return v.at("m.unit.clock") * v.at("m.unit.cycles") + 1 / v.at("m.link.rate"); });
  const Finding finding = machine.search();
  REQUIRE(finding.verdict != Verdict::nothing);
  CHECK(named(finding).count("m.unit.clock") + named(finding).count("m.unit.cycles") > 0);
  CHECK(finding.best(0)->gain == finding.best(1)->gain);
}

TEST_CASE("two delays of one path are named as equals", "[pure][bottleneck]") {
  MadeUp machine({number("m.host.tx_latency", delay, 4), number("m.host.rx_latency", delay, 4)},
                 [](const Values& v) { return v.at("m.host.tx_latency") + v.at("m.host.rx_latency"); });
  const Finding finding = machine.search();
  CHECK(finding.verdict == Verdict::single);
  CHECK(finding.equals.size() == 1);
}

TEST_CASE("gains below the spread of seeds are noise", "[pure][bottleneck]") {
  MadeUp machine({number("m.link.rate", rate, 1)}, [](const Values& v) { return 100 + 10 / v.at("m.link.rate"); });
  machine.noise = 0.01;
  const Finding finding = machine.search();
  CHECK_THAT(finding.spread, WithinAbs(0.02, 1e-9));
  CHECK_THAT(finding.eps, WithinAbs(0.06, 1e-9));
  CHECK(finding.verdict == Verdict::nothing);
  machine.noise = 0;
  CHECK(machine.search().verdict == Verdict::single);
}

TEST_CASE("a delay may gain from a longer time and from its default", "[pure][bottleneck]") {
  Parameter timeout = number("m.table.timeout", delay, 20);
  timeout.standard = "2000";
  MadeUp machine({timeout, number("m.link.rate", rate, 1)}, [](const Values& v) {
    return (v.at("m.table.timeout") >= 30 ? (v.at("m.table.timeout") >= 2000 ? 50 : 80) : 100) + 1 / v.at("m.link.rate");
  });
  const Finding finding = machine.search();
  CHECK(finding.verdict == Verdict::single);
  CHECK(named(finding) == Paths{"m.table.timeout"});
  CHECK(finding.bottleneck.front().to == "2000");
  CHECK(finding.step(0, 2)->gain > 0.15);
}

TEST_CASE("a shape that gains is listed and never called the bottleneck", "[pure][bottleneck]") {
  MadeUp machine({number("m.nic.mtu", shape, 8), number("m.link.rate", rate, 1)},
                 [](const Values& v) { return 40 * v.at("m.nic.mtu") + 100 / v.at("m.link.rate"); });
  const Finding finding = machine.search();
  CHECK(finding.best(0)->gain > finding.best(1)->gain);
  CHECK(named(finding) == Paths{"m.link.rate"});
}

TEST_CASE("a shape that cuts the message into one piece less is tried and never called the bottleneck",
          "[pure][bottleneck]") {
  Parameter packets = number("m.nic.message_packets", shape, 170);
  packets.whole = true, packets.piece = 1024;
  // Each message is filled up to its size, so 7 messages carry more than 6.
  MadeUp machine({packets, number("m.link.rate", rate, 1)}, [](const Values& v) {
    return std::ceil(1048576 / (v.at("m.nic.message_packets") * 1024)) * v.at("m.nic.message_packets") / v.at("m.link.rate");
  });
  const auto moved = [](const Finding& finding) {
    return std::find_if(finding.steps.begin(), finding.steps.end(), [](const Step& s) { return s.move.pieces > 0; });
  };
  Finding finding = machine.search();
  CHECK(moved(finding) == finding.steps.end());  // the size of the message is not known
  machine.message = 1048576;
  finding = machine.search();
  REQUIRE(moved(finding) != finding.steps.end());
  CHECK(moved(finding)->move.to == "171");
  CHECK_THAT(moved(finding)->gain, WithinAbs(1 - 6.0 * 171 / (7 * 170), 1e-9));
  CHECK(named(finding) == Paths{"m.link.rate"});
}

TEST_CASE("an elasticity is that of the small step and has the sign of the change of time", "[pure][bottleneck]") {
  // Tables of a push thrash with faster links: x1.25 needs 1.5 times the time, x2 1.618 times.
  MadeUp machine({number("m.link.rate", rate, 1)}, [](const Values& v) {
    const double x = v.at("m.link.rate");
    return x <= 1 ? 1 / x : x < 2 ? 1.5 : 1.618;
  });
  const Finding finding = machine.search();
  CHECK_THAT(*finding.elasticity(0), WithinAbs(std::log(1.5) / std::log(1.25), 1e-9));  // 1.82
  Finding coarse = finding;
  coarse.steps.erase(std::remove_if(coarse.steps.begin(), coarse.steps.end(),
                                    [](const Step& s) { return s.move.factor == 1.25 || s.move.factor == 0.8; }),
                     coarse.steps.end());
  CHECK_THAT(*coarse.elasticity(0), WithinAbs(std::log(1.618) / std::log(2.0), 1e-9));  // 0.69
}

TEST_CASE("other values of a name are tried", "[pure][bottleneck]") {
  MadeUp machine({name("m.ring.sync", "fence", {"counted", "fence"}), number("m.ring.latency", delay, 1)},
                 [](const Values& v) { return 10 + 6 * v.at("m.ring.sync") + v.at("m.ring.latency"); });
  const Finding finding = machine.search();
  REQUIRE(finding.choices.size() == 1);
  CHECK(finding.choices.front().move.to == "counted");
  CHECK_THAT(finding.choices.front().gain, WithinAbs(6.0 / 17, 1e-9));
}

TEST_CASE("members of an inert group do not run alone", "[pure][bottleneck]") {
  MadeUp machine({number("m.copy.launch", delay, 1), number("m.copy.burst", shape, 15), number("m.link.rate", rate, 1)},
                 [](const Values& v) { return 1 / v.at("m.link.rate"); });
  const Finding finding = machine.search();
  CHECK(finding.inert == std::vector<std::string>{"m.copy.launch", "m.copy.burst"});
  for (const Trial& trial : machine.asked)
    CHECK(trial.changes.count("m.copy.launch") == trial.changes.count("m.copy.burst"));
  CHECK(finding.best(0) == nullptr);
}

TEST_CASE("values that are refused are kept with their reason", "[pure][bottleneck]") {
  MadeUp machine({number("m.link.rate", rate, 1), number("m.link.y_rate", rate, 1), number("m.nic.rate", rate, 1)},
                 [](const Values& v) { return 1 / std::min(v.at("m.link.rate"), v.at("m.nic.rate")); });
  machine.legal = [](const Values& v) { return v.at("m.link.rate") + v.at("m.link.y_rate") < 4; };
  const Finding finding = machine.search();
  CHECK(finding.verdict != Verdict::unknown);
  machine.legal = [](const Values& v) { return v.at("m.link.y_rate") <= 1; };
  const Finding other = machine.search();
  const auto refused = std::find_if(other.steps.begin(), other.steps.end(),
                                    [](const Step& s) { return s.outcome.state == TrialState::refused; });
  REQUIRE(refused != other.steps.end());
  CHECK(other.parameters[refused->move.parameter].path == "m.link.y_rate");
  CHECK(refused->outcome.reason == "not legal together");
  CHECK(named(other) == Paths{"m.link.rate", "m.nic.rate"});
}

TEST_CASE("a search that ends early keeps its finding so far", "[pure][bottleneck]") {
  MadeUp machine(
      {number("m.link.rate", rate, 1), number("m.table.bytes", room, 1), number("m.switch.latency", delay, 1),
       name("m.ring.sync", "a", {"a", "b"})},
      [](const Values& v) { return 10 / std::min(v.at("m.link.rate"), v.at("m.table.bytes")) + v.at("m.switch.latency"); });
  const std::size_t whole = machine.search().runs;
  for (std::size_t budget = 0; budget <= whole; ++budget) {
    machine.asked.clear();
    machine.budget = budget;
    const Finding finding = machine.search();
    CHECK(finding.runs == budget);
    CHECK((finding.missing > 0) == (budget < whole));
    if (budget == 0) CHECK(finding.verdict == Verdict::unknown);
    if (budget == whole) CHECK(finding.verdict == Verdict::together);
  }
}

TEST_CASE("groups of the resources that a run shows move first", "[pure][bottleneck]") {
  MadeUp machine({number("m.link.rate", rate, 1), number("m.table.bytes", room, 1)},
                 [](const Values& v) { return 10 / v.at("m.table.bytes") + 1 / v.at("m.link.rate"); });
  machine.search({"m.table.queue"});
  const auto moved =
      std::find_if(machine.asked.begin(), machine.asked.end(), [](const Trial& t) { return !t.changes.empty(); });
  CHECK(moved->changes.begin()->first == "m.table.bytes");
}

TEST_CASE("a base that does not finish has no bottleneck", "[pure][bottleneck]") {
  MadeUp machine({number("m.link.rate", rate, 1)}, [](const Values&) { return 1.0; });
  machine.legal = [](const Values&) { return false; };
  const Finding finding = machine.search();
  CHECK(finding.verdict == Verdict::unknown);
  CHECK(finding.reason == "not legal together");
}

}  // namespace tributary::test_bottleneck_search
