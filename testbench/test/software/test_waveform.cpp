#include <catch2/catch.hpp>

#include <algorithm>
#include <cstring>
#include <deque>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "modules/nvswitch/core/reduction_table.h"
#include "modules/protocol/nvlink.h"
#include "testbench/observe/marker_names.h"
#include "testbench/observe/signal_selection.h"
#include "testbench/observe/trace_error.h"
#include "testbench/observe/waveform.h"
#include "testbench/test/harness/temporary_folder.h"
#include "testbench/test/harness/vcd_reader.h"

namespace tributary::test_waveform {
namespace {

using Catch::Contains;

/// Probes of two switch ports and a DMA engine, with the names of a DGX-2.
struct Probes {
  struct Port {
    SignalProbe vc0, occupancy, allocations, evictions, tag, count, busy;
  };
  Port ports[2];
  SignalProbe wave;
  Probe<Tick, int> other;
  ProbeDirectory directory;

  Probes() {
    for (int p : {5, 10}) {
      Port& port = ports[p == 10];
      const std::string name = "dgx2.switch0_2.port" + std::to_string(p);
      directory.add_signal(name + ".input.vc0.flits", port.vc0, SignalKind::delta, 9, "flits in the buffer");
      directory.add_signal(name + ".table.occupancy", port.occupancy, SignalKind::level, 2, "entries in use");
      directory.add_signal(name + ".table.allocations", port.allocations, SignalKind::strobe, 41, "tag of a new entry");
      directory.add_signal(name + ".table.evictions", port.evictions, SignalKind::strobe, 41, "tag of an evicted entry");
      directory.add_signal(name + ".table.entry0.tag", port.tag, SignalKind::level, 41, "block of the entry");
      directory.add_signal(name + ".table.entry0.count", port.count, SignalKind::level, 16, "operands at this stage");
      directory.add_signal(name + ".link.busy", port.busy, SignalKind::level, 1, "a packet is on the wire");
    }
    directory.add_signal("dgx2.gpu3.dma.wave0.count", wave, SignalKind::level, 16, "blocks done");
    directory.add("dgx2.gpu3.other", other, "no signal");
  }
};

std::vector<std::string> lines_of(const std::string& file) {
  std::ifstream in(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> names_of(const std::vector<TracedSignal>& signals) {
  std::vector<std::string> names;
  for (const TracedSignal& s : signals) names.push_back(s.name);
  return names;
}

}  // namespace

TEST_CASE("a waveform records the probes that its globs select, and no others", "[pure]") {
  TemporaryFolder folder;
  Probes probes;
  Waveform wave(probes.directory, {"dgx2.switch0_2.port5.table.*", "*.wave0.count"}, folder.file("w.vcd"));
  REQUIRE(wave.signals() == 6);
  REQUIRE(probes.ports[0].tag.observed());
  REQUIRE_FALSE(probes.ports[0].busy.observed());
  REQUIRE_FALSE(probes.ports[1].tag.observed());

  probes.ports[0].tag(5760, 0x2a);
  probes.ports[0].allocations(5760, 0x2a);
  probes.wave(100, 1);
  wave.advance(5000);
  probes.wave(7000, 2);
  wave.finish();
  probes.wave(9000, 3);  // after the end: not written

  const VcdFile f = read_vcd(folder.file("w.vcd"));
  REQUIRE(f.variables.size() == 8);
  REQUIRE(f.at("dgx2.switch0_2.port5.table.entry0.tag").changes.at(0) == VcdFile::Change{5760, "101010"});
  REQUIRE(f.at("dgx2.switch0_2.port5.table.allocations").changes.at(0) == VcdFile::Change{5760, "1"});
  REQUIRE(f.at("dgx2.gpu3.dma.wave0.count").changes.size() == 2);
  REQUIRE(f.end == 7000);
}

TEST_CASE("no glob traces all signals", "[pure]") {
  const Probes probes;
  REQUIRE(select_signals(probes.directory, {}).size() == 15);
  REQUIRE(names_of(select_signals(probes.directory, {"*busy"})) ==
          std::vector<std::string>{"dgx2.switch0_2.port5.link.busy", "dgx2.switch0_2.port10.link.busy"});
}

TEST_CASE("a glob that selects nothing names the nearest signals and leaves no file", "[pure]") {
  TemporaryFolder folder;
  Probes probes;
  const std::string file = folder.file("none.vcd");
  const auto attempt = [&](const std::string& glob) { Waveform(probes.directory, {"*", glob}, file); };
  REQUIRE_THROWS_AS(attempt("nothing"), TraceError);
  REQUIRE_THROWS_WITH(attempt("dgx2.swich0_2.port10.*bsy"),
                      Contains("'dgx2.swich0_2.port10.*bsy'") && Contains("nearest: dgx2.switch0_2.port10.link.busy,"));
  REQUIRE_THROWS_WITH(attempt("dgx2.gpu3.other"), Contains("no signal matches 'dgx2.gpu3.other'; nearest: "));
  REQUIRE_FALSE(std::ifstream(file).good());
  REQUIRE_FALSE(probes.wave.observed());
  REQUIRE_THROWS_WITH(Waveform(ProbeDirectory(), {"*"}, file), Contains("no signals"));
}

TEST_CASE("the distance of a glob counts edits around its wildcards", "[pure]") {
  REQUIRE(glob_distance("a*c", "abbbc") == 0);
  REQUIRE(glob_distance("a*d", "abbbc") == 1);
  REQUIRE(glob_distance("a?c", "abc") == 0);
  REQUIRE(glob_distance("", "abc") == 3);
  REQUIRE(glob_distance("swich*", "switch0") == 1);
  REQUIRE(glob_distance("*", "") == 0);
}

TEST_CASE("the GTKWave save file groups a port's signals by block in the order of the data", "[pure]") {
  TemporaryFolder folder;
  Probes probes;
  Waveform wave(probes.directory, {"dgx2.switch0_2.port5.*", "*wave0*"}, folder.file("g.vcd"));
  probes.wave(1000, 1);
  probes.wave(1'177'600, 2);
  probes.ports[0].vc0(1500, 9);
  probes.ports[0].allocations(2000, 7);
  probes.ports[0].tag(2000, 7);
  probes.ports[0].count(2000, 1);
  probes.ports[0].busy(3000, 1);
  wave.finish();
  const std::vector<std::string> lines = lines_of(folder.file("g.vcd.gtkw"));
  REQUIRE(lines.at(1) == "[dumpfile] \"g.vcd\"");
  REQUIRE(lines.at(2) == "[savefile] \"g.vcd.gtkw\"");
  REQUIRE(lines.at(6).rfind("*-17.643856 1000 -1 -1 -1 ", 0) == 0);  // log2 of 1177600 ps x 200 / 1150 pixels
  const std::string port = "dgx2.switch0_2.port5";
  const std::vector<std::string> expected{"@800200",  "-dgx2.gpu3",
                                          "@800200",  "-dma",
                                          "@24",      "+{wave0 count} dgx2.gpu3.dma.wave0.count[15:0]",
                                          "@1000200", "-dma",
                                          "@1000200", "-dgx2.gpu3",
                                          "@800200",  "-" + port,
                                          "@800200",  "-input",
                                          "@88024",   "+{vc0 flits} " + port + ".input.vc0.flits[8:0]",
                                          "@20000",   "-",
                                          "@1000200", "-input",
                                          "@800200",  "-table",
                                          "@28",      "+{allocations} " + port + ".table.allocations",
                                          "@24",      "+{allocations value} " + port + ".table.allocations_value[40:0]",
                                          "@24",      "+{entry0 tag} " + port + ".table.entry0.tag[40:0]",
                                          "@24",      "+{entry0 count} " + port + ".table.entry0.count[15:0]",
                                          "@800200",  "-never changed",
                                          "@24",      "+{occupancy} " + port + ".table.occupancy[1:0]",
                                          "@28",      "+{evictions} " + port + ".table.evictions",
                                          "@24",      "+{evictions value} " + port + ".table.evictions_value[40:0]",
                                          "@1000200", "-never changed",
                                          "@1000200", "-table",
                                          "@800200",  "-link",
                                          "@28",      "+{busy} " + port + ".link.busy",
                                          "@1000200", "-link",
                                          "@1000200", "-" + port};
  const auto first = std::find(lines.begin(), lines.end(), "@800200");
  REQUIRE(std::vector<std::string>(first, lines.end()) == expected);
}

TEST_CASE("a GTKWave save file opens about forty rows, and the first place that changes in any case", "[pure]") {
  // Returns the open places of a save file. Each place has that number of signals; the first `silent` never change.
  const auto open_places = [](const std::vector<std::pair<std::string, unsigned>>& places, std::size_t silent) {
    TemporaryFolder folder;
    std::deque<SignalProbe> probes;
    ProbeDirectory directory;
    for (const auto& [place, signals] : places)
      for (unsigned i = 0; i < signals; ++i)
        directory.add_signal("top." + place + ".queue.level" + std::to_string(i), probes.emplace_back(), SignalKind::level,
                             8, "");
    Waveform wave(directory, {}, folder.file("o.vcd"));
    for (std::size_t i = silent; i < probes.size(); ++i) probes[i](10, 1);
    wave.finish();
    std::vector<std::string> open;
    const std::vector<std::string> lines = lines_of(folder.file("o.vcd.gtkw"));
    for (std::size_t i = 0; i + 1 < lines.size(); ++i)
      if (lines[i] == "@800200" && lines[i + 1].rfind("-top.", 0) == 0) open.push_back(lines[i + 1].substr(1));
    return open;
  };
  using Names = std::vector<std::string>;
  std::vector<std::pair<std::string, unsigned>> places;  // with three signals each, in five rows
  for (char name = 'a'; name < 'k'; ++name) places.emplace_back(std::string(1, name), 3);
  CHECK(open_places(places, 0).size() == 10);  // 30 signals fit
  places.emplace_back("z", 11);
  CHECK(open_places(places, 0) == Names{"top.a", "top.b", "top.c", "top.d", "top.e", "top.f", "top.g", "top.h"});
  CHECK(open_places({{"a", 50}, {"b", 50}}, 0) == Names{"top.a"});
  CHECK(open_places({{"a", 50}, {"b", 50}}, 50) == Names{"top.b"});
}

TEST_CASE("names of markers that are close together are on different sides of their lines", "[pure][waveform]") {
  using Texts = std::vector<std::string>;
  const auto blanks = [](std::size_t count) { return std::string(count, ' '); };
  // A letter has 5 pixels, so centred names of 12 and 13 letters need 62.5 pixels and a gap.
  CHECK(marker_texts({{"last operand", 400}, {"first arrival", 470}}, 1150) == Texts{"last operand", "first arrival"});
  CHECK(marker_texts({{"last operand", 400}, {"first arrival", 436}}, 1150) ==
        Texts{"last operand" + blanks(13), "first arrival"});
  CHECK(marker_texts({{"last operand", 400}, {"first arrival", 405}}, 1150) ==
        Texts{"last operand" + blanks(13), blanks(14) + "first arrival"});
  CHECK(marker_texts({{"first", 2}, {"last", 600}}, 1150) == Texts{blanks(6) + "first", "last"});
  const Texts three = marker_texts({{"first", 400}, {"second", 403}, {"third", 406}}, 1150);
  CHECK(std::count(three.begin(), three.end(), "") == 1);
  CHECK(marker_texts({}, 1150).empty());
}

TEST_CASE("a packet probe shows block, opcode by name, and source", "[pure][waveform]") {
  TemporaryFolder folder;
  PacketProbe sent;
  ProbeDirectory directory;
  directory.add("dgx2.gpu3.port2.link.sent", sent, "packet", 0, nvlink_opcode_names);
  Waveform wave(directory, {"*.link.*"}, folder.file("p.vcd"));
  REQUIRE(wave.signals() == 3);
  PacketPool pool{NvLink{}};
  Packet* const p = pool.make(block_bytes, false);
  nv(*p) = NvHeader{};
  nv(*p).address = 62 * block_bytes;
  nv(*p).opcode = Opcode::red_write;
  nv(*p).source = 3;
  sent(1500, view_of<NvLink>(*p));
  wave.finish();
  p->release();
  const VcdFile f = read_vcd(folder.file("p.vcd"));
  CHECK(f.at("dgx2.gpu3.port2.link.block").changes.at(0) == VcdFile::Change{1500, "111110"});
  CHECK(f.at("dgx2.gpu3.port2.link.opcode").changes.at(0) == VcdFile::Change{1500, "10"});
  CHECK(f.at("dgx2.gpu3.port2.link.source").changes.at(0) == VcdFile::Change{1500, "11"});
  CHECK(f.at("dgx2.gpu3.port2.link.opcode_name").type == "string");  // for viewers without a filter file
  CHECK(f.at("dgx2.gpu3.port2.link.opcode_name").initial == "write");
  CHECK(f.at("dgx2.gpu3.port2.link.opcode_name").changes == std::vector<VcdFile::Change>{{1500, "red_write"}});
  const std::vector<std::string> names = lines_of(folder.file("p.vcd.gtkw.names"));
  CHECK(names.at(2) == "02 red_write");
  const std::vector<std::string> lines = lines_of(folder.file("p.vcd.gtkw"));
  CHECK(std::find(lines.begin(), lines.end(), "^1 p.vcd.gtkw.names") != lines.end());
}

TEST_CASE("a table shows an entry's value, operand, its source, and all contributors", "[pure][waveform]") {
  TemporaryFolder folder;
  ReductionTable table(2 * block_bytes, 1'000'000);
  ProbeDirectory directory;
  table.describe(directory, "dgx2.switch0_2.port5.table.");
  Waveform wave(directory, {"*.entry*"}, folder.file("t.vcd"));
  PacketPool pool{NvLink{}};
  const auto push = [&](std::uint16_t source, float value, Tick now) {
    Packet* const p = pool.make(block_bytes, true);
    nv(*p) = NvHeader{};
    nv(*p).address = 0;  // block 0 is distinct from a free entry
    nv(*p).source = source;
    nv(*p).count = 1;
    for (unsigned lane = 0; lane < block_bytes / sizeof value; ++lane)
      std::memcpy(p->payload + lane * sizeof value, &value, sizeof value);
    TableTransaction t;
    t.command = TableTransaction::Command::push;
    t.packet = p;
    t.expected = 3;
    t.now = now;
    table.access(t);
    if (t.result != nullptr) t.result->release();
  };
  push(2, 1.5f, 100);
  push(5, 2.25f, 200);
  push(64, -4, 300);
  wave.finish();
  const VcdFile f = read_vcd(folder.file("t.vcd"));
  const auto changes = [&](const std::string& field) { return f.at("dgx2.switch0_2.port5.table.entry0." + field).changes; };
  using Changes = std::vector<VcdFile::Change>;
  CHECK(changes("valid") == Changes{{100, "1"}});
  CHECK(changes("tag").empty());  // block 0
  CHECK(changes("count") == Changes{{100, "1"}, {200, "10"}, {300, "11"}});
  CHECK(changes("value") == Changes{{100, "1.5"}, {200, "3.75"}, {300, "-0.25"}});
  CHECK(changes("operand") == Changes{{100, "1.5"}, {200, "2.25"}, {300, "-4"}});
  CHECK(changes("from") == Changes{{100, "10"}, {200, "101"}, {300, "1000000"}});
  CHECK(changes("contributors") == Changes{{100, "100"}, {200, "100100"}});
  CHECK(changes("contributors_64") == Changes{{300, "1"}});
}

TEST_CASE("a waveform that is cut short holds all earlier changes", "[pure]") {
  TemporaryFolder folder;
  Probes probes;
  {
    Waveform wave(probes.directory, {"*wave0*"}, folder.file("c.vcd"));
    probes.wave(40, 2);
  }
  REQUIRE(read_vcd(folder.file("c.vcd")).at("dgx2.gpu3.dma.wave0.count").changes.size() == 1);
}

}  // namespace tributary::test_waveform
