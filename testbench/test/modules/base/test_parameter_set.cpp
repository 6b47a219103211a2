#include <catch2/catch.hpp>

#include "modules/base/nearest.h"
#include "modules/base/parameter_set.h"

namespace tributary::test_parameter_set {

using Catch::Matchers::Contains;
using Catch::Matchers::Equals;

namespace {

enum class Colour : std::uint8_t { red, green };

struct Inner {
  Time latency = 150_ns;
  std::optional<Bytes> table;
};
template <class V>
void visit(V& v, Inner& p) {
  v.field("latency", p.latency, Note("of the block").source("paper").range("1ns", "1ms"));
  v.field("table", p.table, Note("size").range("128B", "4KiB").multiple_of("128B").automatic("256B"));
}

struct Outer {
  Inner inner;
  Bandwidth rate = 25_GBps;
  std::uint32_t count = 4;
  double speedup = 2.0;
  bool barrier = true;
  Colour colour = Colour::red;
};
template <class V>
void visit(V& v, Outer& p) {
  v.group("switch", p.inner);
  v.field("rate", p.rate, Note("of a port").range("1MB/s", "10TB/s"));
  v.field("count", p.count, Note("of things").range("0", "64"));
  v.field("speedup", p.speedup, Note("of the crossbar").range("0.1", "64"));
  v.field("barrier", p.barrier, Note("or none"));
  v.field("colour", p.colour, Note("of the box"));
}

}  // namespace
}  // namespace tributary::test_parameter_set

namespace tributary {

template <>
struct EnumNames<test_parameter_set::Colour> {
  using Colour = test_parameter_set::Colour;
  static const std::vector<std::pair<Colour, std::string>>& names() {
    static const std::vector<std::pair<Colour, std::string>> n{{Colour::red, "red"}, {Colour::green, "green"}};
    return n;
  }
};

}  // namespace tributary

namespace tributary::test_parameter_set {

TEST_CASE("fields are set through their paths", "[pure][parameters]") {
  Outer p;
  ParameterSet set(p);
  set.set("switch.latency", "115.2ns");
  set.set("switch.table", "1KiB");
  set.set("rate", "100Gb/s");
  set.set("count", "0");
  set.set("speedup", "1.5");
  set.set("barrier", "false");
  set.set_assignment("colour=green");
  CHECK(p.inner.latency.value == 115'200);
  CHECK(p.inner.table->value == 1024);
  CHECK(p.rate == 100_Gbps);
  CHECK(p.count == 0);
  CHECK(p.speedup == 1.5);
  CHECK_FALSE(p.barrier);
  CHECK(p.colour == Colour::green);
  set.set("switch.table", "auto");
  CHECK_FALSE(p.inner.table);
}

TEST_CASE("an illegal value leaves the field unchanged, and the error names the legal values", "[pure][parameters]") {
  Outer p;
  ParameterSet set(p);
  CHECK_THROWS_WITH(set.set("switch.latency", "2s"), Equals("switch.latency: '2s' is out of range (legal: 1ns to 1ms)"));
  CHECK_THROWS_WITH(set.set("rate", "0GB/s"), Contains("rate: '0GB/s' is out of range (legal: 1MB/s to 10TB/s)"));
  CHECK_THROWS_WITH(set.set("switch.latency", "150"), Contains("has no unit") && Contains("1ns to 1ms"));
  CHECK_THROWS_WITH(set.set("switch.latency", "4KiB"), Contains("'KiB' is not a unit of time"));
  CHECK_THROWS_WITH(
      set.set("switch.table", "200B"),
      Equals("switch.table: '200B' is not a multiple of 128B (legal: 128B to 4KiB, a multiple of 128B, or auto)"));
  CHECK_THROWS_WITH(set.set("switch.table", "64B"), Contains("out of range"));
  CHECK_THROWS_WITH(set.set("count", "65"), Contains("out of range (legal: 0 to 64)"));
  CHECK_THROWS_WITH(set.set("count", "-1"), Contains("'-1' is not a whole number"));
  CHECK_THROWS_WITH(set.set("count", "4294967296"), Contains("too large"));
  CHECK_THROWS_WITH(set.set("speedup", "nan"), Contains("'nan' is not a number"));
  CHECK_THROWS_WITH(set.set("speedup", "2x"), Contains("is not a number"));
  CHECK_THROWS_WITH(set.set("barrier", "yes"), Equals("barrier: 'yes' is not legal (legal: true or false)"));
  CHECK_THROWS_WITH(set.set("colour", "blue"), Equals("colour: 'blue' is not legal (legal: red or green)"));
  CHECK_THROWS_WITH(set.set("rate", "auto"), Contains("rate: 'auto' is not a bandwidth"));
  CHECK(p.inner.latency == 150_ns);
  CHECK_FALSE(p.inner.table);
  CHECK(p.count == 4);
}

TEST_CASE("the error for an unknown path names the nearest one", "[pure][parameters]") {
  Outer p;
  ParameterSet set(p);
  CHECK_THROWS_WITH(set.set("switch.latancy", "1ns"), Contains("'switch.latancy'; did you mean switch.latency?"));
  CHECK_THROWS_AS(set.set("", "1"), ParameterError);
  CHECK_THROWS_WITH(set.set_assignment("rate"), Contains("PATH=VALUE"));
}

TEST_CASE("fields list their value, unit and default", "[pure][parameters]") {
  Outer p;
  p.count = 7;
  const ParameterSet set(p);
  REQUIRE(set.fields().size() == 7);
  CHECK(set.fields()[0].path == "switch.latency");
  const ParameterField& latency = set.at("switch.latency");
  CHECK(latency.unit() == "ps");
  CHECK(std::get<std::uint64_t>(latency.value()) == 150'000);
  CHECK(latency.print() == "150ns");
  CHECK(latency.note.source() == "paper");
  CHECK(latency.is_default());
  CHECK(set.at("switch.table").default_text == "auto");
  CHECK(std::holds_alternative<std::monostate>(set.at("switch.table").value()));
  CHECK(set.at("count").default_text == "4");
  CHECK_FALSE(set.at("count").is_default());
  CHECK(std::get<bool>(set.at("barrier").value()));
  CHECK(std::get<double>(set.at("speedup").value()) == 2.0);
  CHECK(std::get<std::string>(set.at("colour").value()) == "red");
}

TEST_CASE("edit distance counts a swap once, and equally near names keep their order", "[pure][parameters]") {
  CHECK(edit_distance("push", "psuh") == 1);
  CHECK(edit_distance("push", "pull") == 2);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("kitten", "sitting") == 3);
  CHECK(nearest_names("pusl", {"push", "pull", "ring"}) == std::vector<std::string>{"push", "pull"});
  CHECK(join_names({"a", "b", "c"}) == "a, b or c");
  CHECK(unknown_name("algorithm", "rign", {"push", "pull", "ring"}) ==
        "unknown algorithm 'rign'; did you mean ring? (legal: push, pull or ring)");
}

}  // namespace tributary::test_parameter_set
