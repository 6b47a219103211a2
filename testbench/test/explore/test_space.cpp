// Spaces, their points, and lists of values.
#include <catch2/catch.hpp>

#include "testbench/explore/space.h"
#include "testbench/test/explore/known_functions.h"

namespace tributary::test_space {

using namespace tributary::explore;
using Texts = std::vector<std::string>;

namespace {

template <class F>
std::string error_of(F f) {
  try {
    f();
  } catch (const PlanError& error) {
    return error.what();
  }
  return "accepted";
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("values rise by a factor or a distance", "[pure][explore]") {
  CHECK(stepped_values("128B", "4KiB", "x2") == Texts{"128B", "256B", "512B", "1KiB", "2KiB", "4KiB"});
  CHECK(stepped_values("4", "64", "x2") == Texts{"4", "8", "16", "32", "64"});
  CHECK(stepped_values("1", "10", "+4") == Texts{"1", "5", "9"});
  CHECK(stepped_values("128B", "512B", "+128B") == Texts{"128B", "256B", "384B", "512B"});
  CHECK(stepped_values("25GB/s", "100GB/s", "+25GB/s") == Texts{"25GB/s", "50GB/s", "75GB/s", "100GB/s"});
  CHECK(stepped_values("1.5ns", "6ns", "x2") == Texts{"1.5ns", "3ns", "6ns"});
  CHECK(stepped_values("0.1", "0.3", "+0.1").size() == 3);
  CHECK(stepped_values("0", "2", "+1") == Texts{"0", "1", "2"});
  CHECK(stepped_values("1", "4096", "+1").size() == 4096);
}

TEST_CASE("a list of values that cannot be made is refused", "[pure][explore]") {
  const auto error = [](const char* from, const char* to, const char* step) {
    return error_of([&] { stepped_values(from, to, step); });
  };
  CHECK(contains(error("1", "4097", "+1"), "more than 4096 values"));
  CHECK(contains(error("4", "2", "x2"), "is no range"));
  CHECK(contains(error("4", "4", "x2"), "is no range"));
  CHECK(contains(error("4", "64", "x1"), "does not lead"));
  CHECK(contains(error("0", "64", "x2"), "does not lead"));
  CHECK(contains(error("4", "64", "+0"), "does not lead"));
  CHECK(contains(error("1", "64", "x1.1"), "too small for whole numbers"));
  CHECK(contains(error("4", "64", "2"), "is not legal"));
  CHECK(contains(error("4", "64", ""), "is not legal"));
  CHECK(error("128B", "1us", "x2") != "accepted");
  CHECK(error("128B", "1KiB", "+1ns") != "accepted");
  CHECK(error("big", "1KiB", "x2") != "accepted");
}

TEST_CASE("a space numbers its points, the last variable fastest", "[pure][explore]") {
  const Space space({{"a", {"1", "2"}, true}, {"b", {"x", "y", "z"}, false}});
  CHECK(space.size() == 6);
  CHECK(space.at(0) == Point{0, 0});
  CHECK(space.at(2) == Point{0, 2});
  CHECK(space.at(5) == Point{1, 2});
  CHECK(space.point_of({"2", "y"}) == Point{1, 1});
  CHECK(space.text({1, 2}, 1) == "z");
  CHECK(contains(error_of([&] { space.point_of({"2", "w"}); }), "b: unknown value 'w'"));
  CHECK(contains(error_of([&] { space.find("c"); }), "unknown variable 'c'"));
  CHECK(numbered_space(12, 4096).size() == ~std::uint64_t{0});
}

TEST_CASE("a space without points or with repeated names is refused", "[pure][explore]") {
  CHECK(contains(error_of([] { Space(std::vector<Variable>{}); }), "no variable"));
  CHECK(contains(error_of([] { Space({{"a", {}, true}}); }), "a: the variable has no values"));
  CHECK(contains(error_of([] { Space({{"a", {"1", "1"}, true}}); }), "'1' twice"));
  CHECK(contains(error_of([] { Space({{"a", {"1"}, true}, {"a", {"2"}, true}}); }), "two variables"));
  CHECK(contains(error_of([] { numbered_space(1, 4097); }), "4097 values (legal: up to 4096)"));
}

}  // namespace tributary::test_space
