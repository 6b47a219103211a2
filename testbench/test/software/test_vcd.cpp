#include <catch2/catch.hpp>

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "modules/base/random.h"
#include "testbench/observe/natural_order.h"
#include "testbench/observe/vcd_header.h"
#include "testbench/observe/vcd_writer.h"
#include "testbench/test/harness/temporary_folder.h"
#include "testbench/test/harness/vcd_reader.h"

namespace tributary::test_vcd {
namespace {

using Changes = std::vector<VcdFile::Change>;
constexpr auto minus_three = ~std::uint64_t{3} + 1;

/// Returns the dump of one signal `top.s` written by `script`.
VcdFile::Variable dump_of(SignalKind kind, unsigned width,
                          const std::function<void(VcdWriter&, VcdWriter::Signal)>& script) {
  TemporaryFolder folder;
  VcdWriter writer(folder.file("s.vcd"));
  const auto signal = writer.add("top.s", kind, width);
  writer.start();
  script(writer, signal);
  writer.finish();
  return read_vcd(folder.file("s.vcd")).at("top.s");
}

struct Call {
  std::uint32_t signal;
  Tick time;
  std::uint64_t value;
};

/// Returns deterministic changes of 12 signals up to 1 us, unordered in time within a window of 64 ns, as devices
/// report them.
std::vector<Call> scattered_calls() {
  std::vector<Call> calls;
  for (std::uint64_t i = 0; i < 4000; ++i) {
    const std::uint64_t r = random_at(7, 1, i);
    const Tick window = i / 250 * 64'000;
    calls.push_back({static_cast<std::uint32_t>(r % 12), window + (r >> 8) % 64 * 1000, (r >> 20) % 4});
  }
  return calls;
}

/// Returns the file written by these calls if `watermark` is moved to the start of each window before its calls.
std::string text_of(const std::vector<Call>& calls, bool watermarks) {
  TemporaryFolder folder;
  VcdWriter writer(folder.file("t.vcd"));
  const SignalKind kinds[] = {SignalKind::level, SignalKind::strobe, SignalKind::delta};
  for (unsigned s = 0; s < 12; ++s) writer.add("a.b" + std::to_string(s) + ".c", kinds[s % 3], 64);
  writer.start();
  for (const Call& c : calls) {
    if (watermarks) writer.advance(c.time / 64'000 * 64'000);
    writer.change(c.signal, c.time, c.value);
  }
  writer.finish();
  return read_text(folder.file("t.vcd"));
}

}  // namespace

TEST_CASE("a value change dump conforms to the standard, byte by byte", "[pure]") {
  TemporaryFolder folder;
  VcdWriter writer(folder.file("x.vcd"));
  const auto tag = writer.add("sw.port10.tag", SignalKind::level, 41);
  const auto hit = writer.add("sw.port2.hit", SignalKind::strobe, 8);
  const auto busy = writer.add("sw.port2.busy", SignalKind::level, 1);
  writer.start();
  writer.change(tag, 5, 6);
  writer.change(busy, 3, 1);
  writer.change(hit, 5, 2);
  writer.finish();
  REQUIRE(read_text(folder.file("x.vcd")) ==
          "$version Tributary $end\n$timescale 1 ps $end\n$scope module sw $end\n"
          "$scope module port2 $end\n$var wire 1 $ busy $end\n$var event 1 # hit $end\n"
          "$var wire 8 \" hit_value [7:0] $end\n$upscope $end\n"
          "$scope module port10 $end\n$var wire 41 ! tag [40:0] $end\n$upscope $end\n$upscope $end\n$enddefinitions $end\n"
          "#0\n$dumpvars\nb0 !\nbx \"\n0$\n$end\n"
          "#3\n1$\n#5\nb110 !\nb10 \"\n1#\n");
}

TEST_CASE("identifier codes of a dump are distinct and printable", "[pure]") {
  REQUIRE(vcd_code(0) == "!");
  REQUIRE(vcd_code(93) == "~");
  REQUIRE(vcd_code(94) == "!!");
  std::vector<std::string> codes;
  for (std::size_t n = 0; n < 20'000; ++n) codes.push_back(vcd_code(n));
  std::sort(codes.begin(), codes.end());
  REQUIRE(std::adjacent_find(codes.begin(), codes.end()) == codes.end());
}

TEST_CASE("a dump holds changes past the watermark", "[pure]") {
  TemporaryFolder folder;
  VcdWriter writer(folder.file("h.vcd"));
  const auto a = writer.add("a", SignalKind::level, 8);
  const auto b = writer.add("b", SignalKind::level, 8);
  writer.start();
  writer.change(a, 150, 1);
  writer.advance(100);
  REQUIRE(writer.written() == 0);
  writer.change(b, 120, 2);
  writer.advance(150);  // strictly before
  REQUIRE(writer.written() == 120);
  writer.change(b, 150, 3);
  writer.advance(151);
  REQUIRE(writer.written() == 150);
  writer.finish();
  const VcdFile f = read_vcd(folder.file("h.vcd"));
  REQUIRE(f.timescale == "1ps");
  REQUIRE(f.at("a").changes == Changes{{150, "1"}});
  REQUIRE(f.at("b").changes == Changes{{120, "10"}, {150, "11"}});
  REQUIRE(f.end == 150);
}

TEST_CASE("the last value of a level at a time is written, and equal values are not repeated", "[pure]") {
  const auto v = dump_of(SignalKind::level, 4, [](VcdWriter& w, VcdWriter::Signal s) {
    w.change(s, 10, 0);  // the initial value
    w.change(s, 20, 5);
    w.change(s, 20, 7);
    w.advance(25);
    w.change(s, 30, 7);  // unchanged
    w.change(s, 40, 2);  // changed and restored at one time
    w.change(s, 40, 7);
    w.change(s, 50, 1);
  });
  REQUIRE(v.initial == "0");
  REQUIRE(v.changes == Changes{{20, "111"}, {50, "1"}});
}

TEST_CASE("a level of more than 64 bits is written as one vector", "[pure]") {
  const auto v = dump_of(SignalKind::level, 72, [](VcdWriter& w, VcdWriter::Signal s) {
    std::uint8_t bytes[9] = {0x05};
    w.change_bytes(s, 10, bytes);
    w.advance(15);
    bytes[8] = 0x81;
    w.change_bytes(s, 20, bytes);
    bytes[8] = 0x80;
    w.change_bytes(s, 20, bytes);  // replaces it
    w.change_bytes(s, 30, bytes);  // unchanged
    std::fill(bytes, bytes + 9, std::uint8_t{0});
    w.change_bytes(s, 40, bytes);
  });
  REQUIRE(v.width == 72);
  REQUIRE(v.initial == "0");
  REQUIRE(v.changes == Changes{{10, "101"}, {20, "1" + std::string(68, '0') + "101"}, {40, "0"}});
}

TEST_CASE("a delta is summed in order of time, not of calls", "[pure]") {
  const auto v = dump_of(SignalKind::delta, 8, [](VcdWriter& w, VcdWriter::Signal s) {
    w.change(s, 100, minus_three);  // reported before the credits of the returned flits are used elsewhere
    w.change(s, 50, 9);
    w.change(s, 60, 3);
    w.change(s, 60, minus_three);
    w.advance(70);
    w.change(s, 80, 1);
  });
  REQUIRE(v.changes == Changes{{50, "1001"}, {80, "1010"}, {100, "111"}});
}

TEST_CASE("each firing of a strobe is written with its number", "[pure]") {
  TemporaryFolder folder;
  VcdWriter writer(folder.file("s.vcd"));
  const auto s = writer.add("t.evictions", SignalKind::strobe, 41);
  const auto bare = writer.add("t.stalls", SignalKind::strobe, 0);
  writer.start();
  for (const Call& c : {Call{s, 10, 6}, Call{s, 20, 6}, Call{s, 30, 1}, Call{s, 30, 2}, Call{bare, 30, 99}})
    writer.change(c.signal, c.time, c.value);
  writer.finish();
  const VcdFile f = read_vcd(folder.file("s.vcd"));
  REQUIRE(f.at("t.evictions").type == "event");
  REQUIRE(f.at("t.evictions").changes == Changes{{10, "1"}, {20, "1"}, {30, "1"}, {30, "1"}});
  REQUIRE(f.at("t.evictions_value").initial == "x");
  REQUIRE(f.at("t.evictions_value").changes == Changes{{10, "110"}, {30, "1"}, {30, "10"}});
  REQUIRE(f.at("t.stalls").changes == Changes{{30, "1"}});
  REQUIRE(f.variables.size() == 3);
}

TEST_CASE("a dump does not depend on the order in which devices call", "[pure]") {
  const std::vector<Call> calls = scattered_calls();
  const std::string reference = text_of(calls, true);
  REQUIRE(reference.size() > 20'000);
  REQUIRE((text_of(calls, false) == reference));

  std::vector<Call> by_device = calls;  // within a window: device after device; within a signal: unchanged
  std::stable_sort(by_device.begin(), by_device.end(), [](const Call& a, const Call& b) {
    const auto key = [](const Call& c) { return std::make_pair(c.time / 64'000, (c.signal * 5) % 12); };
    return key(a) < key(b);
  });
  REQUIRE((text_of(by_device, true) == reference));

  std::find_if(by_device.begin(), by_device.end(), [](const Call& c) { return c.signal == 1; })->value += 1;
  REQUIRE((text_of(by_device, true) != reference));
}

TEST_CASE("an enumeration has a variable with the names of its values", "[pure]") {
  TemporaryFolder folder;
  VcdWriter writer(folder.file("n.vcd"));
  const auto s = writer.add("top.state", SignalKind::level, 2, [](std::uint64_t v) {
    return v < 2 ? std::string(v == 0 ? "idle" : "wants links") : std::to_string(v);
  });
  writer.start();
  writer.change(s, 5, 1);
  writer.change(s, 6, 3);
  writer.finish();
  const VcdFile f = read_vcd(folder.file("n.vcd"));
  REQUIRE(f.at("top.state").changes == Changes{{5, "1"}, {6, "11"}});
  REQUIRE(f.at("top.state_name").type == "string");
  REQUIRE(f.at("top.state_name").initial == "idle");
  REQUIRE(f.at("top.state_name").changes == Changes{{5, "wants_links"}, {6, "3"}});
}

TEST_CASE("a wide level keeps all its bits", "[pure]") {
  const auto v = dump_of(SignalKind::level, 64, [](VcdWriter& w, VcdWriter::Signal s) { w.change(s, 1, never); });
  REQUIRE(v.changes == Changes{{1, std::string(64, '1')}});
}

TEST_CASE("a dump refuses signals that it cannot represent", "[pure]") {
  using Catch::Contains;
  TemporaryFolder folder;
  VcdWriter writer(folder.file("e.vcd"));
  REQUIRE_THROWS_WITH(writer.add("top.wide", SignalKind::strobe, 65), Contains("top.wide") && Contains("1 to 64"));
  REQUIRE_THROWS_WITH(writer.add("top.none", SignalKind::delta, 0), Contains("top.none"));
}

TEST_CASE("a dump writes a late change at its watermark and notes it", "[pure]") {
  using Catch::Contains;
  TemporaryFolder folder;
  VcdWriter writer(folder.file("l.vcd"));
  const auto s = writer.add("top.s", SignalKind::level, 4);
  writer.start();
  writer.change(s, 900, 7);
  writer.advance(1000);
  REQUIRE(writer.notes().empty());
  writer.change(s, 1000, 5);
  writer.change(s, 999, 1);  // before the change that was reported first, so it does not replace it
  writer.change(s, 1200, 2);
  writer.change(s, 998, 3);
  writer.finish();
  REQUIRE(read_vcd(folder.file("l.vcd")).at("top.s").changes == Changes{{900, "111"}, {1000, "101"}, {1200, "10"}});
  REQUIRE(writer.notes().size() == 1);
  REQUIRE_THAT(writer.notes().front(),
               Contains("'top.s'") && Contains("999 ps") && Contains("1000 ps") && Contains("the first of 2 such changes"));
}

TEST_CASE("a dump shows a value that does not fit as all ones and notes it", "[pure]") {
  using Catch::Contains;
  TemporaryFolder folder;
  VcdWriter writer(folder.file("w.vcd"));
  const auto level = writer.add("top.level", SignalKind::level, 4);
  const auto delta = writer.add("top.delta", SignalKind::delta, 4);
  writer.start();
  writer.change(level, 5, 15);
  writer.change(level, 6, 16);  // shown as 15, which is shown already
  writer.change(level, 7, 3);
  writer.change(delta, 5, 14);
  writer.change(delta, 6, 14);
  writer.change(delta, 7, minus(14));  // the sum itself is kept
  writer.finish();
  const VcdFile f = read_vcd(folder.file("w.vcd"));
  REQUIRE(f.at("top.level").changes == Changes{{5, "1111"}, {7, "11"}});
  REQUIRE(f.at("top.delta").changes == Changes{{5, "1110"}, {6, "1111"}, {7, "1110"}});
  REQUIRE(writer.notes().size() == 1);
  REQUIRE_THAT(writer.notes().front(), Contains("'top.level'") && Contains("value 16 at 6 ps") && Contains("4 bits") &&
                                           Contains("the first of 2 such changes"));
}

TEST_CASE("the bits of a signal hold its largest value", "[pure]") {
  REQUIRE(bits_up_to(0) == 1);
  REQUIRE(bits_up_to(1) == 1);
  REQUIRE(bits_up_to(255) == 8);
  REQUIRE(bits_up_to(256) == 9);
  REQUIRE(bits_up_to(never) == 64);
}

TEST_CASE("an exception in a guarded observer reaches neither the model nor other observers", "[pure]") {
  SignalProbe probe;
  unsigned before = 0, guarded = 0, after = 0;
  const auto count = [](void* calls, Tick, std::uint64_t) { ++*static_cast<unsigned*>(calls); };
  ProbeGuard guard, other;
  probe.attach(&before, count);
  probe.guard_new(nullptr);
  probe.attach(&guarded, [](void* calls, Tick, std::uint64_t value) {
    if (++*static_cast<unsigned*>(calls) == 2) throw std::out_of_range("value " + std::to_string(value));
  });
  probe.guard_new(&guard);
  probe.attach(&after, count);
  probe.guard_new(&other);
  for (std::uint64_t i = 0; i < 4; ++i) probe(10 * i, i);
  REQUIRE(before == 4);
  REQUIRE(guarded == 2);  // not called again
  REQUIRE(after == 4);
  REQUIRE(guard.failed());
  REQUIRE(guard.error() == "value 1");
  REQUIRE(!other.failed());
}

TEST_CASE("an exception in an observer without a guard reaches the model", "[pure]") {
  SignalProbe probe;
  probe.attach(nullptr, [](void*, Tick, std::uint64_t) { throw std::out_of_range("part of the model"); });
  probe.guard_new(nullptr);
  REQUIRE_THROWS_WITH(probe(1, 1), "part of the model");
}

TEST_CASE("a file that cannot be written is a clear error", "[pure]") {
  using Catch::Contains;
  REQUIRE_THROWS_AS(VcdWriter("/nonexistent/x.vcd"), OutputError);
  REQUIRE_THROWS_WITH(VcdWriter("/nonexistent/x.vcd"), Contains("'/nonexistent/x.vcd'") && Contains("No such file"));
  REQUIRE_THROWS_WITH(VcdWriter("/"), Contains("directory"));
  VcdWriter full("/dev/full");
  full.add("top.s", SignalKind::level, 1);
  REQUIRE_THROWS_WITH(full.start(), Contains("No space left"));
}

TEST_CASE("names are sorted in natural order", "[pure]") {
  const std::vector<std::string> names{"d.gpu2.x",   "d.port2.vc0", "d.port2.vc1.y", "d.port2-a.x",
                                       "d.port2a.x", "d.port10.a",  "d.port10.b"};
  for (std::size_t i = 0; i < names.size(); ++i)
    for (std::size_t j = 0; j < names.size(); ++j) REQUIRE(natural_less(names[i], names[j]) == (i < j));
}

}  // namespace tributary::test_vcd
