/// The life of one block, from its operands on the links of the GPUs to the arrival of the sum.
#include <catch2/catch.hpp>
#include <sstream>

#include "testbench/test/harness/forked_run.h"
#include "testbench/test/harness/run_specs.h"
#include "testbench/test/harness/temporary_folder.h"
#include "testbench/test/harness/vcd_reader.h"

namespace tributary::test_block_trace {
namespace {

std::vector<std::string> lines_with(const std::string& text, const std::string& part) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);)
    if (line.find(part) != std::string::npos) lines.push_back(line);
  return lines;
}

double number_after(const std::string& line, const std::string& word) {
  return std::stod(line.substr(line.find(word) + word.size()));
}

RunSpec following(RunSpec spec, std::uint64_t block) {
  spec.trace.block = BlockQuery{block, {}, false};
  return spec;
}

}  // namespace

// 8 KiB are 64 blocks; the home of block 62 is in plane 62 mod 6 = 2, at switch (62 / 6) mod 2 = 0 and port (10 / 2)
// mod 16 = 5.
TEST_CASE("block trace: a push has 16 operands and 16 arrivals", "[system][waveform]") {
  const Run run = run_one(following(run_spec("push", first_gpus(16), {8_KiB}), 62));
  const std::string& life = run.row.block_life;
  INFO(life);
  std::vector<std::string> from_gpus;
  for (const std::string& line : lines_with(life, "sends red_write"))
    if (line.find(" gpu") < line.find("sends")) from_gpus.push_back(line);
  CHECK(from_gpus.size() == 16);
  CHECK(lines_with(life, "switch1_2.port13>switch0_2.port13  sends red_write").size() ==
        8);  // from the other board, over one trunk
  CHECK(lines_with(life, "allocated").size() == 1);
  CHECK(lines_with(life, "adds").size() == 15);
  CHECK(lines_with(life, "switch0_2.port5.table").size() == 18);  // and the lines for complete and free
  CHECK(lines_with(life, "receives mc_write").size() == 16);
  double sum = 0;
  for (const std::string& line : lines_with(life, ": operand ")) sum += number_after(line, ": operand ");
  CHECK(number_after(lines_with(life, "complete").at(0), "sum ") == sum);
  for (const char* marker : {"first operand", "last operand", "completion", "first arrival", "last arrival"})
    CHECK(lines_with(life, marker).size() == 1);
}

// Requests of a pull reach GPUs before the result exists: they are not arrivals of it.
TEST_CASE("block trace: a pull arrives after its completion", "[system][waveform]") {
  const Run run = run_one(following(run_spec("pull", first_gpus(4), {8_KiB}), 62));
  const std::string& life = run.row.block_life;
  INFO(life);
  CHECK(lines_with(life, "receives pull").size() == 3);
  CHECK(lines_with(life, "adds").size() == 3);  // the requester keeps its own operand
  CHECK(lines_with(life, "sends mc_write of gpu3, 4 operands").size() == 4);
  const double completion = number_after(lines_with(life, "completion").at(0), "# ");
  CHECK(number_after(lines_with(life, "first arrival").at(0), "# ") > completion);
}

TEST_CASE("block trace: both modes give the same life", "[system][waveform]") {
  for (const char* algorithm : {"push", "pull", "ring"}) {
    INFO(algorithm);
    RunSpec spec = following(run_spec(algorithm, first_gpus(16), {8_KiB}), 62);
    const Run windowed = run_one(spec);
    spec.mode = SimulationMode::event;
    const Run event = run_one(spec);
    CHECK(lines_with(windowed.row.block_life, "sends").size() > 1);  // a ring forwards the block at least once
    CHECK(windowed.row.block_life == event.row.block_life);
  }
}

TEST_CASE("block trace: following a block changes nothing", "[system][waveform]") {
  const RunSpec spec = with_hashes(run_spec("push", first_gpus(16), {8_KiB}));
  const Run without = run_one(spec);
  Run with = run_one(following(spec, 62));
  with.row.block_life.clear();
  CHECK(difference(without, with) == "");
}

TEST_CASE("block trace: the waveform contains only the links, entry and arrivals of the block, and opens at its first event",
          "[system][waveform]") {
  TemporaryFolder folder;
  RunSpec spec = following(run_spec("push", first_gpus(16), {8_KiB}), 62);
  spec.trace.file = folder.file("b.vcd");
  run_one(spec);
  const VcdFile vcd = read_vcd(spec.trace.file);
  // Count of the entry: 1 to 16 operands, then 0 when the entry is free.
  CHECK(vcd.at("switch0_2.port5.table.count").changes.size() == 17);
  // Each packet occupies the wire for the 9 flits of 144 B, 5.76 ns at 25 GB/s.
  const auto& wire = vcd.at("gpu5.port2.link.opcode").changes;
  REQUIRE(wire.size() == 4);  // operand and ack of the result
  CHECK(wire[1].time - wire[0].time == 5760);
  CHECK(wire[3].time - wire[2].time == 640);
  for (const auto& [name, variable] : vcd.variables) CHECK(name.find("port4.table") == std::string::npos);
  const std::string save = read_text(spec.trace.file + ".gtkw");
  // The second and the third marker are 35 ns apart, less than their names.
  for (const char* marker :
       {"[markername] Afirst operand\n", "[markername] Blast operand, completion                         \n",
        "[markername] Cfirst arrival\n", "[markername] Dlast arrival\n"})
    CHECK(save.find(marker) != std::string::npos);
  CHECK(save.find("+{gpu") < save.find("-switch0_2.port5.table"));
  CHECK(save.find("-switch0_2.port5.table") < save.rfind("+{gpu"));
  CHECK(read_text(spec.trace.file + ".gtkw.names").find("red_write") != std::string::npos);
}

}  // namespace tributary::test_block_trace
