/// The life of one slot of NetReduce: from the gradients of all hosts to their results, on one rack and in a tree, and
/// the recovery from a lost frame (docs/waveforms.md#to-follow-one-slot).
#include <algorithm>
#include <boost/algorithm/string/predicate.hpp>
#include <catch2/catch.hpp>
#include <regex>
#include <set>

#include "testbench/test/harness/life_lines.h"
#include "testbench/test/harness/netreduce_runs.h"
#include "testbench/test/harness/run_specs.h"
#include "testbench/test/harness/temporary_folder.h"
#include "testbench/test/harness/vcd_reader.h"
#include "testbench/workload/reference_data.h"

namespace tributary::test_slot_trace {
namespace {

constexpr std::uint64_t messages = 6;
constexpr unsigned message = 3, offset = 5;
constexpr std::uint64_t block = message * short_message + offset;

RunSpec following(RunSpec spec, std::uint64_t number = block, std::optional<unsigned> host = {}) {
  spec.trace.block = BlockQuery{number, host, false};
  return spec;
}

/// 6 messages of 8 packets.
RunSpec on(const std::string& machine, const std::vector<std::string>& faults = {}) {
  return short_messages(machine, messages, faults);
}

/// The first element of a host's contribution to a packet; in a first packet the aggregation header precedes the
/// elements.
double own_of(int host, std::uint64_t packet = block) {
  const std::uint64_t o = packet % short_message;
  const std::uint64_t byte = packet / short_message * short_slice + (o == 0 ? 0 : o * 1024 - 16);
  float value = 0;
  workload::fill(&value, sizeof value, {}, host, byte / 4);
  return value;
}

double sum_of(int first, int hosts, std::uint64_t packet = block) {
  double sum = 0;
  for (int h = first; h < first + hosts; ++h) sum += own_of(h, packet);
  return sum;
}

double time_of(const std::string& life, const std::string& marker) {
  const double time = time_of_marker(life, marker);
  CHECK(time >= 0);
  return time;
}

std::vector<std::uint64_t> numbers(const VcdFile& vcd, const std::string& name) {
  std::vector<std::uint64_t> all;
  for (const VcdFile::Change& c : vcd.at(name).changes) all.push_back(std::stoull(c.value, nullptr, 2));
  return all;
}

}  // namespace

TEST_CASE("slot trace: a slot has six gradients, one sum and six results", "[system][netreduce][waveform]") {
  const std::string life = run_one(following(on("rack:6"))).row.block_life;
  INFO(life);
  const std::vector<LifeLine> gradients = lines_of(life, "^sends gradient", "^host");
  REQUIRE(gradients.size() == 6);
  CHECK(lines_of(life, "^sends gradient", ">accelerator").size() == 6);
  const std::vector<LifeLine> kept = lines_of(life, "^slot 29 (keeps|full with) gradient");  // 3 x 8 + 5
  REQUIRE(kept.size() == 6);
  std::uint64_t bitmap = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    static const std::regex text(
        R"(slot 29 .* gradient (\S+) of host(\d), (\d) of 6, bitmap ([01]{6}), entry at message 3, header row (\d+))");
    std::smatch part;
    REQUIRE(std::regex_match(kept[i].text, part, text));
    const int host = std::stoi(part[2]);
    CHECK(std::stod(part[1]) == own_of(host));
    CHECK(std::stoul(part[3]) == i + 1);
    bitmap |= std::uint64_t{1} << host;
    CHECK(std::stoull(part[4], nullptr, 2) == bitmap);
    CHECK(std::stoi(part[5]) == 29 * 6 + host);
  }
  CHECK(kept.back().text.find("full") != std::string::npos);
  const std::vector<LifeLine> sums = lines_of(life, "^sum of all");
  REQUIRE(sums.size() == 1);
  CHECK(number_after(sums[0].text, "all ") == sum_of(0, 6));
  CHECK(lines_of(life, "^sends result", "^accelerator").size() == 6);
  const std::vector<LifeLine> results = lines_of(life, "^has result", "^host\\d.nic");
  REQUIRE(results.size() == 6);
  for (const LifeLine& r : results) CHECK(number_after(r.text, "sum ") == sum_of(0, 6));
  CHECK(lines_of(life, "NACK|again|goes back|timeout|lost").empty());

  CHECK(time_of(life, "first gradient") == gradients.front().time);
  CHECK(time_of(life, "last gradient") == gradients.back().time);
  CHECK(time_of(life, "completion") == sums[0].time);
  CHECK(time_of(life, "first result") == results.front().time);
  CHECK(time_of(life, "last result") == results.back().time);
}

// 1.60 us of the NIC, then consecutive packets; the last result of a tensor ends the measured time.
TEST_CASE("slot trace: its times equal those of a run without a trace", "[system][netreduce][waveform]") {
  const std::vector<std::string> whole{"netreduce.flow_control.message_packets=170"};
  const RunSpec spec = short_messages("rack:4", 1, {}, whole);
  const Run without = run_one(with_hashes(spec));
  Run third = run_one(following(with_hashes(spec), 3));
  CHECK(time_of(third.row.block_life, "first gradient") == Approx(1600 + 89.76 + 2 * 88.48));
  Run last = run_one(following(with_hashes(spec), 169));
  CHECK(time_of(last.row.block_life, "first gradient") == Approx(1600 + 89.76 + 168 * 88.48));
  CHECK(time_of(last.row.block_life, "last result") == Approx(static_cast<double>(without.row.time) / 1e3));
  third.row.block_life.clear(), last.row.block_life.clear();
  CHECK(difference(without, third) == "");
  CHECK(difference(without, last) == "");
}

TEST_CASE("slot trace: in a tree each rack is summed, then all racks, and the result comes down",
          "[system][netreduce][waveform]") {
  const std::string life = run_one(following(on("spine_leaf:2x3"))).row.block_life;
  INFO(life);
  CHECK(lines_of(life, "^sends gradient", "^host").size() == 6);
  const std::vector<LifeLine> racks = lines_of(life, "^sum of the rack");
  REQUIRE(racks.size() == 2);
  for (const LifeLine& r : racks) CHECK(number_after(r.text, "rack ") == sum_of(r.place == "accelerator0.slot" ? 0 : 3, 3));
  CHECK(lines_of(life, "^sends sum of accelerator. for spine_accelerator", ">spine_accelerator").size() == 2);
  const std::vector<LifeLine> kept = lines_of(life, "^slot 29 .* sum .* of accelerator", "^spine_accelerator.slot");
  REQUIRE(kept.size() == 2);
  CHECK(kept[1].text.find("2 of 2, bitmap 11") != std::string::npos);
  const std::vector<LifeLine> whole = lines_of(life, "^sum of all", "^spine_accelerator.slot");
  REQUIRE(whole.size() == 1);
  CHECK(number_after(whole[0].text, "all ") == sum_of(0, 6));
  CHECK(time_of(life, "completion") == whole[0].time);
  CHECK(lines_of(life, "^sends result of spine_accelerator", "^spine_accelerator").size() == 2);
  CHECK(lines_of(life, "passes by the slot").size() == 2);
  CHECK(lines_of(life, "^has result").size() == 6);
  const double first = time_of(life, "first gradient"), last = time_of(life, "last result");
  CHECK(first < racks[0].time);
  CHECK(racks[1].time < whole[0].time);
  CHECK(whole[0].time < last);
  // For a first packet, notifications of the connections between racks inform the leaves.
  const std::string first_packet = run_one(following(on("spine_leaf:2x3"), 0)).row.block_life;
  CHECK(lines_of(first_packet, "^sends notification", "^accelerator").size() == 2);
  CHECK(number_after(lines_of(first_packet, "^sum of all").at(0).text, "all ") == sum_of(0, 6, 0));
}

TEST_CASE("slot trace: a lost result is requested and sent again", "[system][netreduce][waveform]") {
  const std::string clean = run_one(following(on("rack:4"))).row.block_life;
  const std::string life = run_one(following(on("rack:4", {"drop:result:2:3:5"}))).row.block_life;
  INFO(life);
  CHECK(lines_of(life, "lost on the wire", ">host2").size() == 1);
  CHECK(lines_of(life, "^sends result", "^accelerator").size() == 5);
  CHECK(lines_of(life, "^sends result", ">host2").size() == 2);
  CHECK(lines_of(life, "^sum of all").size() == 1);
  const std::vector<LifeLine> again = lines_of(life, "^sum .* leaves again");
  REQUIRE(again.size() == 1);
  CHECK(number_after(again[0].text, "sum ") == sum_of(0, 4));
  REQUIRE(lines_of(life, "^slot 29 is full: gradient .* of host1 comes again").size() == 1);
  CHECK(lines_of(life, "^sends gradient", "^host1").size() == 2);
  CHECK(lines_of(life, "^goes back to packet 5 of message 3", "^host1.nic").size() == 1);
  CHECK(lines_of(life, "^goes back").size() == 1);
  CHECK(lines_of(life, "NACK of host2 for host1 .*: wants packet 5 of message 3", "^host2").size() == 1);
  const std::vector<LifeLine> results = lines_of(life, "^has result");
  REQUIRE(results.size() == 4);
  CHECK(results.back().place == "host2.nic");
  CHECK(time_of(life, "first result") == time_of(clean, "first result"));
  double before = 0;
  for (const char* marker : {"first gradient", "completion", "lost", "NACK", "rewind", "sum again", "last result"}) {
    CHECK(time_of(life, marker) > before);
    before = time_of(life, marker);
  }
}

TEST_CASE("slot trace: a lost gradient is requested by all hosts, and the slot completes once",
          "[system][netreduce][waveform]") {
  const std::string life = run_one(following(on("rack:4", {"drop:gradient:1:3:5"}))).row.block_life;
  INFO(life);
  CHECK(lines_of(life, "gradient of host1 .*: lost on the wire", "^host1").size() == 1);
  CHECK(lines_of(life, "^sends NACK", "^host").size() == 4);
  CHECK(lines_of(life, "^goes back").size() == 4);
  CHECK(lines_of(life, "^slot 29 full with").size() == 1);
  CHECK(lines_of(life, "^has result").size() == 4);
}

TEST_CASE("slot trace: the line of a drop names its reason", "[system][netreduce][waveform]") {
  const auto fate = [](const std::vector<std::string>& faults, const std::string& pattern, const std::string& place) {
    const std::string life = run_one(following(on("rack:4", faults))).row.block_life;
    INFO(life);
    CHECK(lines_of(life, pattern, place).size() >= 1);
    CHECK(lines_of(life, "^has result").size() == 4);
  };
  fate({"corrupt:gradient:1:3:5"}, "gradient of host1 .*: dropped: its FCS is wrong", "^accelerator$");
  fate({"flip:gradient:1:3:5"}, "gradient of host1 .*: dropped: its ICRC is wrong", "^accelerator$");
  fate({"flip:result:2:3:5"}, "result for host2 .*: dropped: its ICRC is wrong", "^host2.nic$");
  fate({"drop:gradient:1:3:0"}, "gradient of host1 .*: dropped: the first packet of its message is missing",
       "^accelerator$");
  fate({"drop:gradient:1:3:4"}, "result for host. .*: dropped: an earlier packet is missing", "^host..nic$");
  fate({"duplicate:result:2:3:5"}, "result for host2 .*: dropped: it is a duplicate", "^host2.nic$");
}

// The message was acknowledged up to its first packet: the sender goes back to it, though only the last one is missing.
TEST_CASE("slot trace: a timeout that retransmits the packet is shown", "[system][netreduce][waveform]") {
  constexpr std::uint64_t last = messages * short_message - 1;
  const std::string life = run_one(following(on("rack:4", {"drop:result:2:5:7"}), last)).row.block_life;
  INFO(life);
  CHECK(lines_of(life, "^timeout: packet 0 of message 5", "^host1.nic").size() == 1);
  CHECK(lines_of(life, "^goes back to packet 0 of message 5", "^host1.nic").size() == 1);
  CHECK(lines_of(life, "^sends NACK").empty());
  const double passed =
      time_of(life, "timeout") - time_of(life, "first gradient");  // 100 us after an ACK or after the first transmission
  CHECK(passed >= 100'000);
  CHECK(passed < 110'000);
}

TEST_CASE("slot trace: the trace of a host shows its own part of the slot's life", "[system][netreduce][waveform]") {
  const std::string life = run_one(following(on("rack:4", {"drop:result:2:3:5"}), block, 2)).row.block_life;
  INFO(life);
  CHECK(lines_of(life, "^sends gradient", "^host").size() == 1);
  CHECK(lines_of(life, "^has result").size() == 1);
  CHECK(lines_of(life, "^goes back", "^host1.nic").size() == 1);
  CHECK(lines_of(life, "^slot 29 (keeps|full with)").size() == 4);
}

TEST_CASE("slot trace: both modes give the same life", "[system][netreduce][waveform]") {
  for (const auto& [machine, fault] :
       {std::pair{"rack:4", "drop:result:2:3:5"}, std::pair{"spine_leaf:2x2", "drop:gradient:1:3:5"}}) {
    RunSpec spec = following(on(machine, {fault}));
    const std::string windowed = run_one(spec).row.block_life;
    spec.mode = SimulationMode::event;
    CHECK(lines_of(windowed, "^sends").size() > 16);
    CHECK(windowed == run_one(spec).row.block_life);
  }
}

TEST_CASE("slot trace: the waveform is in the order of the slot's life and has a save file",
          "[system][netreduce][waveform]") {
  TemporaryFolder folder;
  RunSpec spec = following(on("rack:4", {"drop:result:2:3:5"}));
  spec.trace.file = folder.file("s.vcd");
  run_one(spec);
  const VcdFile vcd = read_vcd(spec.trace.file);
  const std::string slot = "accelerator.slot.";
  CHECK(numbers(vcd, slot + "bitmap").back() == 15);
  CHECK(numbers(vcd, slot + "headers").back() == 15);
  CHECK(numbers(vcd, slot + "done") == std::vector<std::uint64_t>{1});
  CHECK(numbers(vcd, slot + "clt_message") == std::vector<std::uint64_t>{message});
  CHECK(numbers(vcd, slot + "sum_leaves_again") == std::vector<std::uint64_t>{1});
  CHECK(std::stod(vcd.at(slot + "sum").changes.back().value) == sum_of(0, 4));
  const auto& wire = vcd.at("host1.port0.link.packet").changes;  // occupied twice for the 1106 B of a packet, 88.48 ns
  REQUIRE(wire.size() == 4);
  for (const std::size_t i : {0, 2}) CHECK(wire[i + 1].time - wire[i].time == 88480);
  CHECK(vcd.at("host2.memory.has_result").changes.size() == 1);
  CHECK(vcd.at("host2.memory.has_result").changes[0].time > vcd.at("host1.memory.has_result").changes[0].time);

  const std::string save = read_text(spec.trace.file + ".gtkw");
  const std::vector<std::string> order{"+{host1:port0>switch:port1}", "+{switch:port5>accelerator:port1}",
                                       "-accelerator.slot",           "+{accelerator:port1>switch:port5}",
                                       "+{switch:port2>host2:port0}", "+{host1:memory}",
                                       "+{host1:nic:sender}",         "+{host2:memory}"};
  for (std::size_t i = 1; i < order.size(); ++i) {
    INFO(order[i]);
    CHECK(save.find(order[i]) != std::string::npos);
    CHECK(save.find(order[i - 1]) < save.find(order[i]));
  }
  for (const char* marker : {"Afirst gradient, last gradient", "Bcompletion", "Clost", "DNACK", "Efirst result", "Frewind",
                             "Gsum again", "Hlast result"})
    CHECK(save.find("[markername] " + std::string(marker)) != std::string::npos);
  // Each signal in the save file is a signal of the dump.
  static const std::regex shown(R"(\n\+\{[^}]*\} ([^\s\[]+))");
  std::size_t signals = 0;
  for (std::sregex_iterator it(save.begin(), save.end(), shown), end; it != end; ++it, ++signals)
    CHECK(vcd.variables.count((*it)[1]) == 1);
  const auto texts = std::count_if(vcd.variables.begin(), vcd.variables.end(),
                                   [](const auto& variable) { return boost::ends_with(variable.first, "_name"); });
  CHECK(texts > 0);
  CHECK(signals + static_cast<std::size_t>(texts) == vcd.variables.size() - 4);  // except for the sums in memory
  for (const auto& [names, text] : {std::pair{".names", "lost"}, std::pair{".names2", "middle"},
                                    std::pair{".names3", "host3"}, std::pair{".names4", "goes back"}})
    CHECK(read_text(spec.trace.file + ".gtkw" + names).find(text) != std::string::npos);
}

}  // namespace tributary::test_slot_trace
