/// Comparison of answers, shadows, and lines of records.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstring>
#include <memory>

#include "modules/blockcheck/core/block_shadow.h"
#include "modules/blockcheck/core/record_line.h"
#include "testbench/test/harness/field_sample.h"

namespace tributary::test_comparison {

using Catch::Matchers::Contains;

using Sample = FieldSample;

BlockAccess answered(const Sample& s, Tick latency = 0) {
  BlockAccess access;
  access.answer = values_of(s);
  access.latency = latency;
  return access;
}

std::string text_of(const std::vector<FieldDifference>& fields) {
  std::string text;
  for (const FieldDifference& d : fields) text += d.field + ": " + d.expected + " | " + d.got + "\n";
  return text;
}

TEST_CASE("a difference is listed by field, element and byte", "[pure][blockcheck]") {
  Sample other;
  other.count = 8;
  other.lanes[2] = -3;
  CHECK(text_of(differences(answered({}), answered({}), {}, 1000)).empty());
  CHECK(text_of(differences(answered({}), answered(other), {}, 1000)) == "in.count: 7 | 8\nin.lanes[2] (byte 8): 3 | -3\n");
  // Bytes of the request that are no elements count.
  BlockAccess model = answered({});
  model.request.add("skip", FieldValue::Kind::number).number = 16;
  CHECK(text_of(differences(model, answered(other), {}, 1000)) == "in.count: 7 | 8\nin.lanes[2] (byte 24): 3 | -3\n");
}

TEST_CASE("times differ by the rule of the comparison", "[pure][blockcheck]") {
  const BlockAccess model = answered({}, 5000), late = answered({}, 8000), early = answered({}, 4000);
  const Tick clock = 1000;
  CHECK(text_of(differences(model, late, parse_compare_rule("all"), clock)) == "latency: 5000 ps | 8000 ps\n");
  CHECK(differences(model, late, parse_compare_rule("data"), clock).empty());
  CHECK(differences(model, late, parse_compare_rule("late:3"), clock).empty());
  CHECK(differences(model, late, parse_compare_rule("late:2"), clock).size() == 1);
  CHECK(differences(model, early, parse_compare_rule("late:3"), clock).size() == 1);
  // An answer before the time that the device counts: 5000 ps and 1000 ps earlier than the model's.
  BlockAccess fast = answered({}, 0), nominal = answered({}, 0);
  fast.early = {0, 1000};
  CHECK(text_of(differences(model, fast, parse_compare_rule("all"), clock)) == "latency: 5000 ps | -1000 ps\n");
  CHECK(text_of(differences(nominal, fast, parse_compare_rule("late:3"), clock)) == "latency: 0 ps | -1000 ps\n");
  CHECK(differences(fast, nominal, parse_compare_rule("late:1"), clock).empty());
  CHECK(differences(fast, fast, parse_compare_rule("all"), clock).empty());
  CHECK(differences(nominal, fast, parse_compare_rule("data"), clock).empty());
  for (const char* bad : {"", "late", "late:", "late:x", "late:-1", "All"})
    CHECK_THROWS_WITH(parse_compare_rule(bad), Contains("legal: all, data, late:N"));
}

TEST_CASE("a line of a record has the times by which a block is early", "[pure][blockcheck]") {
  BlockAccess access;
  access.early = {7, 8};
  std::string line;
  append_line(access, line);
  CHECK_THAT(line, Contains("\"interval\":0,\"latency\":0,\"early_interval\":7,\"early_latency\":8}"));
}

TEST_CASE("a line of a record has all values", "[pure][blockcheck]") {
  BlockAccess access = answered({}, 12);
  access.time = 99, access.ticket = 3;
  FieldValue& name = access.request.add("command", FieldValue::Kind::name);
  name.text = "push";
  std::string line;
  append_line(access, line);
  CHECK(line ==
        "{\"time\":99,\"ticket\":3,\"request\":{\"command\":\"push\"},\"answer\":{\"colour\":\"green\",\"in.count\":7,"
        "\"in.last\":true,\"in.due\":null,\"in.lanes\":\"01000000feffffff0300000004000000\"},\"interval\":0,\"latency\":12}"
        "\n");
}

/// Answers with the sample, from the third request on with another count.
class Scripted : public BlockDriver {
 public:
  explicit Scripted(unsigned throws_at) : throws_at_(throws_at) {}
  void access(const BlockAccess&, BlockAccess& got) override {
    if (++calls_ == throws_at_) throw std::logic_error("row 9\nis no row");
    Sample s;
    if (calls_ > 2) s.count = 1;
    got.answer = values_of(s);
    got.latency = got.interval = 0;
  }
  void reset() override { calls_ = 0; }

 private:
  unsigned calls_ = 0, throws_at_;
};

BlockShadow shadow(unsigned throws_at) {
  BlockPlace place;
  place.name = "rack.accelerator.combinator";
  return {place, std::make_unique<Scripted>(throws_at), {}};
}

TEST_CASE("a shadow reports its first difference, the requests before it, and counts", "[pure][blockcheck]") {
  BlockShadow s = shadow(~0u);
  unsigned firsts = 0;
  s.on_first = [&](const BlockShadow&) { ++firsts; };
  for (std::uint32_t i = 0; i < 12; ++i) {
    BlockAccess access = answered({});
    access.ticket = i, access.time = 100 * i;
    s.accessed(access);
  }
  CHECK(s.compared() == 12);
  CHECK(s.different() == 10);
  CHECK(firsts == 1);
  REQUIRE(s.first());
  CHECK(s.first()->ticket == 2);
  CHECK(std::count(s.first()->last.begin(), s.first()->last.end(), '\n') == 3);
  CHECK_THAT(s.text("lib.so"), Contains("rack.accelerator.combinator differs from lib.so (first of 10 differences in 12"));
  CHECK_THAT(s.text("lib.so"), Contains("in.count  7      1"));
}

TEST_CASE("an exception of a shadow is a difference, and the block receives nothing until its reset", "[pure][blockcheck]") {
  BlockShadow s = shadow(2);
  for (int i = 0; i < 5; ++i) s.accessed(answered({}));
  CHECK(s.compared() == 2);
  CHECK(s.different() == 1);
  CHECK_THAT(s.text("lib.so"), Contains("row 9\\nis no row"));
  s.reset();
  s.accessed(answered({}));
  CHECK(s.compared() == 3);
}

}  // namespace tributary::test_comparison
