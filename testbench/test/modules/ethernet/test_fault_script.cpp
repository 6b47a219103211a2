// Texts of faults: accepted ones, refused ones, and random bytes.
#include <catch2/catch.hpp>
#include <string>

#include "modules/ethernet/core/fault_script.h"
#include "testbench/test/harness/frame_bytes.h"

namespace tributary::test_fault_script {

using Catch::Matchers::Contains;
using Match = FaultRule::Match;

namespace {

const std::string link_name = "host0.port0>switch0.port3";

}  // namespace

TEST_CASE("faults by meaning and by position", "[pure][ethernet]") {
  const FaultRule gradient = parse_fault_rule("drop:gradient:2:7:169:3");
  CHECK(gradient.fate == FrameFate::drop);
  CHECK(gradient.match == Match::gradient);
  CHECK(gradient.rank == 2);
  CHECK(gradient.message == 7);
  CHECK(gradient.number == 169);
  CHECK(gradient.times == 3);
  const FaultRule nack = parse_fault_rule("duplicate:nack:1:0");
  CHECK(nack.fate == FrameFate::duplicate);
  CHECK(nack.match == Match::nack);
  CHECK(nack.times == 1);
  const FaultRule place = parse_fault_rule("flip:" + link_name + ":12:2");
  CHECK(place.fate == FrameFate::flip);
  CHECK(place.link == link_name);
  CHECK(place.number == 12);
  CHECK(place.times == 2);
  const FaultRule down = parse_fault_rule("down:" + link_name + "@1.5us");
  CHECK(down.match == Match::down);
  CHECK(down.after == 1500_ns);
  CHECK(down.link == link_name);
}

TEST_CASE("faults are written as they are read", "[pure][ethernet]") {
  for (const std::string& text :
       {std::string("drop:gradient:0:4294967295:65535"), std::string("corrupt:result:65535:0:0:18446744073709551615"),
        std::string("flip:ack:1:5"), std::string("duplicate:nack:1:5:2"), std::string("drop:cnp:0:0"),
        std::string("drop:notification:3:1"), "corrupt:" + link_name + ":0", "down:" + link_name + "@2us"}) {
    CHECK(to_string(parse_fault_rule(text)) == text);
    CHECK(parse_fault_rule(to_string(parse_fault_rule(text))) == parse_fault_rule(text));
  }
}

TEST_CASE("an invalid fault is refused in one line", "[pure][ethernet]") {
  const auto refused = [](const std::string& text, const std::string& why) {
    INFO(text);
    CHECK_THROWS_AS(parse_fault_rule(text), std::invalid_argument);
    CHECK_THROWS_WITH(parse_fault_rule(text), Contains(why));
    CHECK_THROWS_WITH(parse_fault_rule(text), !Contains("\n"));
  };
  refused("", "legal: ACTION:gradient:RANK:MSG:O");
  refused("lose:ack:1:2", "drop, corrupt, flip or duplicate");
  refused("drop", "no frame");
  refused("drop:", "neither a kind of frame nor a link");
  refused("drop:gradeint:1:2:3", "did you mean gradient?");
  refused("drop:gradient:1:2", "O is missing");
  refused("drop:gradient:1:2:3:4:5", "'5' is unexpected");
  refused("drop:gradient:65536:2:3", "RANK is '65536', not a whole number from 0 to 65535");
  refused("drop:gradient:-1:2:3", "'-1'");
  refused("drop:gradient:1:4294967296:3", "MSG");
  refused("drop:gradient:1:2:65536", "from 0 to 65535");
  refused("drop:ack:1", "N is missing");
  refused("drop:ack:1:2:0", "TIMES is '0'");
  refused("drop:ack:1:18446744073709551616", "N is");
  refused("drop:" + link_name, "N is missing");
  refused("drop:" + link_name + ":1x", "'1x'");
  refused("down:" + link_name, "no @TIME");
  refused("down:link@1us", "neither a kind of frame nor a link");
  refused("down:@1us", "neither a kind of frame nor a link");
  refused("down@1us", "legal");
  refused("down:" + link_name + "@5", "no unit");
}

TEST_CASE("mutated faults are read or refused", "[pure][ethernet]") {
  const std::string originals[] = {
      "drop:gradient:2:7:169:3", "corrupt:result:0:1:2",  "flip:ack:1:5", "duplicate:nack:1:5:2",
      "down:host0>switch0@1us",  "drop:notification:0:0", "drop:a>b:12",  "drop:cnp:4:1"};
  const std::string letters = ":@>0123456789abdegnoprtu-. \xFF";
  RandomStream random(4);
  unsigned read = 0, refused = 0;
  for (unsigned i = 0; i < 100'000; ++i) {
    std::string text = originals[i % 8];
    for (unsigned n = random.below(4) + 1; n > 0; --n) {
      const unsigned at = random.below(static_cast<unsigned>(text.size()) + 1), how = random.below(3);
      const char letter = letters[random.below(static_cast<unsigned>(letters.size()))];
      if (how == 0) text.insert(at, 1, letter);
      if (how == 1 && at < text.size()) text[at] = letter;
      if (how == 2 && at < text.size()) text.erase(at, 1 + random.below(4));
    }
    try {
      const FaultRule rule = parse_fault_rule(text);
      if (!(parse_fault_rule(to_string(rule)) == rule)) FAIL(text);
      ++read;
    } catch (const std::invalid_argument&) {
      ++refused;
    }
  }
  CHECK(read > 1000);
  CHECK(refused > 50'000);
}

}  // namespace tributary::test_fault_script
