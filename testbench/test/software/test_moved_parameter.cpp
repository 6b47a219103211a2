// Values to which a search moves a parameter.
#include <catch2/catch.hpp>

#include "testbench/measure/moved_parameter.h"

namespace tributary::test_moved_parameter {

using namespace tributary::measure;

namespace {

struct Unit {
  Bytes table = 256_B;
  Time latency = 15_ns;
  Bandwidth rate = 25_GBps;
  std::uint32_t waves = 5;
  double share = 0.9;
  std::optional<Bytes> buffer;
  bool on = true;
  Time none;
};
template <class V>
void visit(V& v, Unit& p) {
  v.field("table", p.table, Note("bytes").role(ParameterRole::room).range("128B", "1KiB").multiple_of("128B"));
  v.field("latency", p.latency, Note("delay").role(ParameterRole::delay).range("1ns", "20ns"));
  v.field("rate", p.rate, Note("rate").role(ParameterRole::rate).range("1MB/s", "10TB/s"));
  v.field("waves", p.waves, Note("waves").role(ParameterRole::room).range("1", "64"));
  v.field("share", p.share, Note("share").role(ParameterRole::rate).range("0.1", "1"));
  v.field("buffer", p.buffer, Note("buffer").role(ParameterRole::room));
  v.field("on", p.on, Note("switch"));
  v.field("none", p.none, Note("delay").role(ParameterRole::delay));
}

std::vector<Parameter> parameters_of(Unit& asked, Unit& used) {
  return movable_parameters(ParameterSet(asked, "m."), ParameterSet(used, "m."), [](const std::string&) { return true; });
}

}  // namespace

TEST_CASE("a move keeps multiples and whole numbers and rounds away", "[pure][bottleneck]") {
  Unit unit;
  const std::vector<Parameter> p = parameters_of(unit, unit);
  CHECK(*scaled(p.at(0), 2) == "512B");
  CHECK(*scaled(p.at(0), 1.25) == "384B");
  CHECK(*scaled(p.at(0), 0.8) == "128B");
  CHECK(*scaled(p.at(2), 2) == "50GB/s");
  CHECK(*scaled(p.at(3), 0.5) == "2");
  CHECK(*scaled(p.at(3), 1.25) == "7");
  CHECK(*scaled(p.at(4), 0.5) == "0.45");
}

TEST_CASE("a move is clipped to the legal range", "[pure][bottleneck]") {
  Unit unit;
  unit.table = 1_KiB, unit.share = 1;
  const std::vector<Parameter> p = parameters_of(unit, unit);
  CHECK_FALSE(scaled(p.at(0), 2));
  CHECK(*scaled(p.at(0), 0.5) == "512B");
  CHECK(*scaled(p.at(1), 2) == "20ns");
  CHECK_FALSE(scaled(p.at(4), 2));
}

TEST_CASE("zeros and values that are not resolved do not move", "[pure][bottleneck]") {
  Unit asked, used;
  used.buffer = 2_KiB;
  std::vector<Parameter> p = parameters_of(asked, used);
  REQUIRE(p.size() == 7);
  CHECK(p.at(5).path == "m.buffer");
  CHECK(*scaled(p.at(5), 2) == "4KiB");
  CHECK(p.at(6).choices == std::vector<std::string>{"true", "false"});
  used.buffer.reset();
  CHECK(parameters_of(asked, used).size() == 6);
}

TEST_CASE("a value of the user is also moved to its default", "[pure][bottleneck]") {
  Unit unit;
  unit.latency = 20_ns;
  const std::vector<Parameter> p = parameters_of(unit, unit);
  CHECK(p.at(1).standard == "15ns");
  CHECK(p.at(0).standard.empty());
  CHECK(p.at(1).group() == "m.latency");
}

TEST_CASE("a shape moves to the smallest value with one piece less", "[pure][bottleneck]") {
  Parameter messages;
  messages.role = ParameterRole::shape, messages.number = 170, messages.piece = 1024, messages.most = 4096;
  // 1 MiB / (170 x 1 KiB) = 6.02, so 7 messages; 1 MiB / (6 x 1 KiB) = 170.7, so 171 packets make 6
  REQUIRE(fewer_pieces(messages, 1048576));
  CHECK(fewer_pieces(messages, 1048576)->to == "171");
  CHECK(fewer_pieces(messages, 1048576)->pieces == 6);
  CHECK(fewer_pieces(messages, 170 * 1024 * 2)->to == "340");  // two whole pieces
  CHECK_FALSE(fewer_pieces(messages, 65536));                  // one piece
  messages.most = 170;
  CHECK_FALSE(fewer_pieces(messages, 1048576));
  Parameter slot;
  slot.role = ParameterRole::shape, slot.unit = "B", slot.number = 524288, slot.piece = 1, slot.multiple = 128;
  REQUIRE(fewer_pieces(slot, 1048577));
  CHECK(fewer_pieces(slot, 1048577)->to == "524416B");  // 1048577 / 2, in multiples of 128 B
  CHECK(fewer_pieces(slot, 1048577)->pieces == 2);
  slot.role = ParameterRole::room;
  CHECK_FALSE(fewer_pieces(slot, 1048577));
}

}  // namespace tributary::test_moved_parameter
