/// Rules of monitors.
#include <catch2/catch.hpp>

#include <cstring>

#include "modules/blockcheck/core/block_monitor.h"

namespace tributary::test_block_monitor {

using Catch::Matchers::Contains;
using Kind = FieldValue::Kind;

std::vector<std::byte> lanes(std::initializer_list<std::int32_t> values) {
  std::vector<std::byte> bytes(values.size() * sizeof(std::int32_t));
  std::memcpy(bytes.data(), values.begin(), bytes.size());
  return bytes;
}

BlockMonitor monitor(const char* block) {
  BlockPlace place;
  place.block = block;
  place.name = "rack.accelerator.part";
  return BlockMonitor(place, 5000);
}

void add(FieldValues& values, const char* key, std::vector<std::byte> bytes, unsigned skip = 0) {
  FieldValue& value = values.add(key, Kind::data);
  value.bytes = std::move(bytes);
  value.type = ElementType::i32;
  value.skip = skip;
}

void name(FieldValues& values, const char* key, const char* text, std::uint64_t number) {
  FieldValue& value = values.add(key, Kind::name);
  value.text = text;
  value.number = number;
}

TEST_CASE("a monitor names undefined values and long times", "[pure][blockcheck]") {
  BlockMonitor m = monitor("netreduce.accelerator.clt");
  BlockAccess access;
  access.time = 100, access.ticket = 18;
  name(access.request, "command", "find", 1);
  name(access.answer, "verdict", "found", 0);
  access.latency = 5000;
  CHECK_NOTHROW(m.accessed(access));
  access.latency = 5001;
  CHECK_THROWS_WITH(m.accessed(access),
                    Contains("rack.accelerator.part breaks the rule `latency` at 100 ps: a latency of 5001 ps") &&
                        Contains("(request 18: command find)"));
  access.latency = 0, access.interval = 6000;
  CHECK_THROWS_WITH(m.accessed(access), Contains("an interval of 6000 ps"));
  access.interval = 0;
  access.answer.begin()->text = "undefined 9";
  CHECK_THROWS_WITH(m.accessed(access), Contains("rule `answer`") && Contains("`verdict` is undefined 9"));
}

TEST_CASE("an answer does not precede its request", "[pure][blockcheck]") {
  BlockMonitor m = monitor("blink.gpu.copy_engine");
  BlockAccess access;
  access.time = 1000;
  access.answer.add("call0.time", Kind::time).number = 999;
  CHECK_THROWS_WITH(m.accessed(access), Contains("rule `time`"));
  access.answer.begin()->number = 1000;
  CHECK_NOTHROW(m.accessed(access));
  access.answer.begin()->number = never;
  CHECK_NOTHROW(m.accessed(access));
}

TEST_CASE("a memory returns what was written until its reset", "[pure][blockcheck]") {
  BlockMonitor m = monitor("netreduce.accelerator.payloads");
  const auto access = [](bool writes, std::vector<std::byte> data) {
    BlockAccess a;
    a.request.add("address", Kind::number).number = 1024;
    name(a.answer, "response", "ok", 0);
    add(writes ? a.request : a.answer, "data", std::move(data));
    return a;
  };
  CHECK_NOTHROW(m.accessed(access(false, lanes({7}))));
  m.accessed(access(true, lanes({1, 2})));
  CHECK_NOTHROW(m.accessed(access(false, lanes({1, 2}))));
  CHECK_THROWS_WITH(m.accessed(access(false, lanes({1, 3}))), Contains("rule `data`") && Contains("byte 4"));
  m.reset();
  CHECK_NOTHROW(m.accessed(access(false, lanes({1, 3}))));
}

TEST_CASE("sums of integers are checked by lane", "[pure][blockcheck]") {
  BlockMonitor unit = monitor("schedule_nic.nic.reduction"), combinator = monitor("netreduce.accelerator.combinator");
  BlockAccess u;
  name(u.request, "op", "sum", 0);
  add(u.request, "sum", lanes({1, 2}));
  add(u.request, "data", lanes({10, 20}));
  add(u.answer, "sum", lanes({11, 22}));
  CHECK_NOTHROW(unit.accessed(u));
  u.answer.begin()->bytes = lanes({11, 23});
  CHECK_THROWS_WITH(unit.accessed(u), Contains("sum[1] is 23 in place of 22"));

  BlockAccess c;
  c.request.add("operands", Kind::number).number = 2;
  name(c.request, "op", "max", 2);
  add(c.request, "operand0", lanes({99, 5, -7}), 4);
  add(c.request, "operand1", lanes({98, 4, -6}), 4);
  add(c.answer, "sum", lanes({5, -6}));
  CHECK_NOTHROW(combinator.accessed(c));
  c.answer.begin()->bytes = lanes({5, -7});
  CHECK_THROWS_WITH(combinator.accessed(c), Contains("sum[1] is -7 in place of -6"));
  c.answer.begin()->bytes = lanes({5});
  CHECK_THROWS_WITH(combinator.accessed(c), Contains("another length"));
}

}  // namespace tributary::test_block_monitor
