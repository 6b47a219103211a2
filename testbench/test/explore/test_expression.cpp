// Expressions over named amounts: values, units, and errors of one line.
#include <catch2/catch.hpp>

#include "testbench/explore/expression.h"
#include "testbench/test/harness/mutated_texts.h"

namespace tributary::test_expression {

using namespace tributary::explore;

namespace {

struct Known {
  const char* name;
  Dimension dimension;
  double value;
};
const std::vector<Known> known{{"table", dimensions::bytes, 256},
                               {"buffer", dimensions::bytes, 10240},
                               {"link", dimensions::bandwidth, 0.025},
                               {"waves", dimensions::plain, 16},
                               {"large.time", dimensions::time, 9.5e6},
                               {"small.time", dimensions::time, 2.375e6},
                               {"large.wrong", dimensions::plain, 0},
                               {"area.sram", dimensions::area, 0.5},
                               {"large.energy.per_byte", dimensions::energy_per_byte, 12},
                               {"large.energy.total", dimensions::energy, 1e6}};

Dimension dimension_of(const std::string& name) {
  for (const Known& k : known)
    if (name == k.name) return k.dimension;
  throw std::invalid_argument("unknown name '" + name + "'");
}

Evaluation value_of(const std::string& name) {
  for (const Known& k : known)
    if (name == k.name) return {k.value, ""};
  return {std::nullopt, "no value of " + name};
}

double value(const std::string& text) {
  const Expression expression = Expression::parse(text);
  expression.check(dimension_of);
  const Evaluation found = expression.evaluate(value_of);
  INFO(text << ": " << found.reason);
  REQUIRE(found.value);
  return *found.value;
}

std::string error_of(const std::string& text) {
  try {
    Expression::parse(text).check(dimension_of);
  } catch (const ExpressionError& error) {
    return error.what();
  }
  return "accepted";
}

std::string error_of_comparison(const std::string& text) {
  try {
    Comparison::parse(text).check(dimension_of);
  } catch (const ExpressionError& error) {
    return error.what();
  }
  return "accepted";
}

double violation(const std::string& text) {
  const Comparison comparison = Comparison::parse(text);
  comparison.check(dimension_of);
  return comparison.violation(value_of).value.value();
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("an expression has the value of its arithmetic", "[pure][explore]") {
  CHECK(value("16 * (table + buffer)") == 167936);
  CHECK(value("1 + 2 * 3 - 8 / 4") == 5);
  CHECK(value("-(2 - 5) * -2") == -6);
  CHECK(value("8 - 4 - 2") == 2);
  CHECK(value("64 / 4 / 2") == 8);
  CHECK(value("table / 128B") == 2);
  CHECK(value("table / link") == 10240);  // 256 B at 25 GB/s: 10.24 ns
  CHECK(value("25GB/s * 2ns") == 50);
  CHECK(value("min(table, buffer, 1KiB)") == 256);
  CHECK(value("max(waves, 4)") == 16);
  CHECK(value("geomean(small.time, large.time)") == Approx(4.75e6).epsilon(1e-12));
  CHECK(value("geomean(waves)") == 16);
  CHECK(value("abs(table - buffer)") == 9984);
  CHECK(value("log2(waves)") == 4);
  CHECK(value("ceil(7 / 2)") == 4);
  CHECK(value("1MiB / 1KiB") == 1024);
  CHECK(value("100Gb/s / 12.5GB/s") == 1);
  CHECK(value("large.energy.per_byte * 1MB / large.energy.total") == 12);
  CHECK(value("2mm2 / 500um2") == 4000);
  CHECK(value("1.5e3 / 3") == 500);
}

TEST_CASE("a rate is a unit where no blank parts it from its number", "[pure][explore]") {
  const auto dimension = [](const std::string& text) { return Expression::parse(text).check(dimension_of); };
  CHECK(dimension("4GB/s") == dimensions::bandwidth);
  CHECK(dimension("4GB/small.time") == dimensions::bandwidth);  // no unit: the word goes on
  CHECK(dimension("4GB /large.time * small.time") == dimensions::bytes);
  CHECK(dimension("1W * 1s") == dimensions::energy);
  CHECK(dimension("1 / 1ns") == dimensions::frequency);
  CHECK(dimension("table * table").name() == "B^2");
  CHECK(dimension("table * area.sram / 1ns / 1ns").name() == "B ps^-2 mm2");
}

TEST_CASE("comparisons have relative violations", "[pure][explore]") {
  CHECK(violation("table <= 256B") == 0);
  CHECK(violation("table <= 128B") == 0.5);
  CHECK(violation("table >= 1KiB") == 0.75);
  CHECK(violation("table < 256B") == 1e-9);
  CHECK(violation("large.wrong == 0") == 0);
  CHECK(violation("waves == 32") == 0.5);
  CHECK(violation("waves != 16") == 1e-9);
  CHECK(violation("waves > -16") == 0);
  CHECK(violation("-waves >= waves") == 2);
  CHECK(violation("large.wrong > 0") == 1e-9);
}

TEST_CASE("a wrong expression is refused in one line", "[pure][explore]") {
  const std::vector<std::pair<const char*, const char*>> wrong{
      {"", "missing at the end"},
      {"   ", "missing at the end"},
      {"1 +", "missing at the end"},
      {"* 2", "'*' is no number"},
      {"(1 + 2", "a ) is missing"},
      {"1 + 2)", "')' follows"},
      {"()", "')' is no number"},
      {"min(1, 2", "a ) is missing"},
      {"min(1,)", "')' is no number"},
      {"2 3", "'3' follows"},
      {"2 table", "'table' follows"},
      {"2table", "'2table' is no number with a unit"},
      {"3GHZ", "'3GHZ' is no number with a unit"},
      {"12kib", "'12kib' is no number with a unit"},
      {"1.2.3", "'.3' follows"},
      {"table + large.time", "+ needs equal units, but has bytes and time"},
      {"1 + 1ns", "+ needs equal units, but has a plain number and time"},
      {"link - table", "- needs equal units, but has bandwidth and bytes"},
      {"min(table, waves)", "min needs equal units"},
      {"max(1ns, 1B)", "max needs equal units"},
      {"geomean(large.time, table)", "geomean needs equal units"},
      {"log2(table)", "log2 needs a plain number, but has bytes"},
      {"ceil(large.time)", "ceil needs a plain number, but has time"},
      {"1 / 0", "division by 0"},
      {"table / (4 - 2 * 2)", "division by 0"},
      {"sqrt(4)", "unknown function 'sqrt'"},
      {"maxx(1, 2)", "did you mean max?"},
      {"abs()", "abs has 0 arguments (legal: 1)"},
      {"abs(1, 2)", "abs has 2 arguments (legal: 1)"},
      {"min(1)", "min has 1 arguments (legal: 2 to 64)"},
      {"tabel + 1B", "unknown name 'tabel'"},
      {"table <= 1KiB", "a comparison is no value"},
      {"2 ** 3", "'*' is no number"},
      {"2 ^ 3", "'^ 3' follows"},
      {"a = 2", "'= 2' follows"},
      {"table % 2", "'% 2' follows"},
      {"\"table\"", "'\"' is no number"},
      {".5 * table", "'.' is no number"},
      {"1e999", "no number with a unit"},
      {"table + \n 1B", "'\\n' is no number"}};
  CHECK(wrong.size() >= 40);
  for (const auto& [text, part] : wrong) {
    const std::string error = error_of(text);
    INFO(text << " -> " << error);
    CHECK(contains(error, part));
    CHECK(error.rfind("'", 0) == 0);
    CHECK_FALSE(contains(error, "\n"));
  }
  CHECK(contains(error_of(std::string(3000, '1')), "more than 2000 characters"));
  CHECK(contains(error_of(std::string(500, '(')), "more than 100 parentheses"));
  CHECK(value(std::string(501, '-') + "1") == -1);
}

TEST_CASE("a wrong comparison is refused in one line", "[pure][explore]") {
  CHECK(contains(error_of_comparison("table"), "a comparison is missing"));
  CHECK(contains(error_of_comparison("128B <= table <= 1KiB"), "two comparisons"));
  CHECK(contains(error_of_comparison("table <= 1us"), "different units: bytes and time"));
  CHECK(contains(error_of_comparison("large.time < 1000"), "different units: time and a plain number"));
  CHECK(contains(error_of_comparison("table => 1B"), "'=> 1B' follows"));
  CHECK(contains(error_of_comparison("<= 3"), "'<' is no number"));
}

TEST_CASE("an evaluation without a value has a reason", "[pure][explore]") {
  const auto reason = [](const std::string& text) { return Expression::parse(text).evaluate(value_of).reason; };
  CHECK(reason("1 / large.wrong") == "'1 / large.wrong': division by 0");
  CHECK(reason("log2(large.wrong)") == "'log2(large.wrong)': log2 of a number that is not above 0");
  CHECK(reason("geomean(waves, large.wrong)") == "'geomean(waves, large.wrong)': geomean of a number that is not above 0");
  CHECK(reason("stuck.time + 1ns") == "no value of stuck.time");
  CHECK(contains(reason("1e300 * 1e300"), "not finite"));
}

TEST_CASE("names of an expression appear once", "[pure][explore]") {
  CHECK(Expression::parse("table + 2 * table + large.time").names() == std::vector<std::string>{"table", "large.time"});
}

TEST_CASE("mutated expressions are read or refused in one line", "[pure][explore]") {
  Mutation mutation;
  mutation.others = {"16 * (table + buffer)",       "geomean(small.time, large.time)",   "min(table, 1KiB, 4MB) / 25GB/s",
                     "-table + max(buffer, 128B)",  "ceil(log2(waves * 4.5e2)) * 2",     "abs(large.time - 2us) / 1ns",
                     "large.energy.total / 1024pJ", "table * table / (buffer + 2 * 4B)", "waves - (16 - (8 - 4)) / 2"};
  mutation.words = {"min(", ")", "table", "GB/s", "1e9", ".", "large.", "<=", "--", "/0"};
  mutation.marks = "()+-*/,. 0123456789aBsGe<=";
  CHECK(fuzzed<ExpressionError>(mutation, 7, mutations(20'000), "'", [](const std::string& text) {
          const Expression expression = Expression::parse(text);
          expression.check(dimension_of);
          expression.evaluate(value_of);
        }) == "");
}

}  // namespace tributary::test_expression
