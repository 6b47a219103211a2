// Problems: names, constraints, objectives and scores.
#include <catch2/catch.hpp>
#include <cmath>

#include "testbench/explore/problem.h"

namespace tributary::test_problem {

using namespace tributary::explore;

namespace {

class KnownFields final : public Fields {
 public:
  std::optional<Dimension> dimension_of(const std::string& name) const override {
    if (name == "large.time") return dimensions::time;
    if (name == "large.wrong") return dimensions::plain;
    return std::nullopt;
  }
  std::vector<std::string> names() const override { return {"large.time", "large.wrong"}; }
};

const KnownFields fields;

Problem problem() {
  return {Space({{"table", {"128B", "256B", "1KiB"}, true},
                 {"buffer", {"auto", "10KiB"}, true},
                 {"how", {"push", "pull"}, false},
                 {"waves", {"4", "8"}, true}}),
          fields};
}

template <class F>
std::string error_of(F f) {
  try {
    f();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

Results results(double time_ps, double wrong, std::optional<double> buffer = std::nullopt) {
  return [=](const std::string& name) -> Evaluation {
    if (name == "large.time") return {time_ps, ""};
    if (name == "large.wrong") return {wrong, ""};
    if (name == "buffer" && buffer) return {buffer, ""};
    return {std::nullopt, "no value of " + name};
  };
}

}  // namespace

TEST_CASE("a score has objectives, violations and reasons", "[pure][explore]") {
  Problem p = problem();
  p.define("sram", "16 * (table + buffer)");
  p.define("twice", "2 * sram");
  p.add_constraint("sram <= 1MiB");
  p.add_constraint("large.wrong == 0");
  p.add_objective("time", "large.time", false);
  p.add_objective("", "twice", false);
  p.add_objective("waves", "waves", true);
  const Score score = p.score({1, 1, 0, 1}, results(5e6, 0));
  CHECK(score.is_feasible());
  CHECK(score.objectives == std::vector<double>{5e6, 2 * 16 * (256 + 10240), -8});
  CHECK(p.written(score, 2) == 8);
  CHECK(p.objectives()[1].name == "twice");
  CHECK(p.objectives()[1].dimension == dimensions::bytes);
  const Score wrong = p.score({1, 1, 0, 1}, results(5e6, 3));
  CHECK(wrong.violation == 1);
  CHECK(wrong.reason == "large.wrong == 0");
  CHECK(p.score({1, 0, 0, 1}, results(5e6, 0, 4096)).objectives[1] == 2 * 16 * (256 + 4096));
}

TEST_CASE("constraints of variables alone need no run", "[pure][explore]") {
  Problem p = problem();
  p.define("sram", "16 * (table + buffer)");
  p.add_constraint("sram <= 165KiB");
  p.add_constraint("large.wrong == 0");
  p.add_objective("time", "large.time", false);
  CHECK_FALSE(p.without_run({0, 1, 0, 0}));
  const auto score = p.without_run({2, 1, 0, 0});
  REQUIRE(score);
  CHECK(score->violation == 1 - 165.0 / 176);
  CHECK(score->reason == "sram <= 165KiB");
  CHECK_FALSE(p.without_run({2, 0, 0, 0}));  // an automatic buffer is known after the run
  CHECK_FALSE(p.score({2, 0, 0, 0}, results(1, 0, 10240)).is_feasible());
}

TEST_CASE("a missing value makes a point infeasible, behind all others", "[pure][explore]") {
  Problem p = problem();
  p.add_objective("time", "large.time", false);
  const Results stuck = [](const std::string&) { return Evaluation{std::nullopt, "the run is stuck: deadlock"}; };
  const Score score = p.score({0, 0, 0, 0}, stuck);
  CHECK(std::isinf(score.violation));
  CHECK(score.reason == "the run is stuck: deadlock");
  CHECK(Problem::failed("refused").reason == "refused");
}

TEST_CASE("the value of a bisection or sensitivity may be a logarithm", "[pure][explore]") {
  Problem p = problem();
  p.set_of("large.time / 1ns", true);
  CHECK(p.score({0, 0, 0, 0}, results(1000 * std::exp(2.0), 0)).of == Approx(2));
  p.set_of("large.wrong", true);
  CHECK(contains(p.score({0, 0, 0, 0}, results(1, 0)).reason, "not above 0"));
  p.set_of("large.wrong", false);
  CHECK(p.score({0, 0, 0, 0}, results(1, 7)).of == 7.0);
}

TEST_CASE("derived parameters follow from variables", "[pure][explore]") {
  Problem p = problem();
  p.define("round_trip", "190ns");
  p.derive("a.buffer", "round_trip * 25GB/s * 1.5 + 144.2B");
  p.derive("a.delay", "table / 1GB/s");
  p.derive("a.bandwidth", "table / 1us");
  p.derive("a.ports", "16 * 1.5");
  using Texts = std::vector<std::pair<std::string, std::string>>;
  // 190 ns x 25 GB/s x 1.5 + 144.2 B = 7269.2 B; the table has 256 B
  CHECK(p.derived({1, 1, 0, 1}) ==
        Texts{{"a.buffer", "7270B"}, {"a.delay", "256ns"}, {"a.bandwidth", "256MB/s"}, {"a.ports", "24"}});
  CHECK(contains(error_of([&] { p.derive("a", "table * table"); }), "a: no parameter has the unit of B^2"));
  CHECK(contains(error_of([&] { p.derive("a", "1B - table"); }), "a: the value is no amount of a parameter"));
  CHECK(contains(error_of([&] { p.derive("a", "2B * large.wrong"); }), "large.wrong has a value only after a run"));
}

TEST_CASE("wrong names of a problem are refused", "[pure][explore]") {
  Problem p = problem();
  p.define("sram", "16 * table");
  CHECK(contains(error_of([&] { p.add_objective("", "large.tim", false); }), "did you mean large.time?"));
  CHECK(contains(error_of([&] { p.add_objective("", "tabel", false); }), "did you mean table?"));
  CHECK(contains(error_of([&] { p.add_objective("", "how", false); }), "how has names as values, no numbers"));
  CHECK(contains(error_of([&] { p.define("table", "1"); }), "has a meaning already"));
  CHECK(contains(error_of([&] { p.define("sram", "1"); }), "has a meaning already"));
  CHECK(contains(error_of([&] { p.define("a b", "1"); }), "is no name"));
  CHECK(contains(error_of([&] { p.define("ns", "1"); }), "name of a unit"));
  CHECK(contains(error_of([&] { p.define("x", "x + 1"); }), "unknown name 'x'"));
  CHECK(contains(error_of([&] { p.add_constraint("sram <= 1us"); }), "different units"));
  CHECK(contains(error_of([&] { Problem({Space({{"GB", {"1"}, true}}), fields}); }), "name of a unit"));
  p.add_objective("a", "table", false);
  CHECK(contains(error_of([&] { p.add_objective("a", "sram", false); }), "two objectives"));
  for (const char* name : {"b", "c", "d"}) p.add_objective(name, "table", false);
  CHECK(contains(error_of([&] { p.add_objective("e", "table", false); }), "more than 4 objectives"));
}

}  // namespace tributary::test_problem
