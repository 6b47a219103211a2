/// The life of one chunk on a network of schedule NICs, and the signals of a NIC: partial sums as the host computes them.
#include <catch2/catch.hpp>
#include <map>
#include <optional>
#include <regex>

#include "testbench/test/harness/forked_run.h"
#include "testbench/test/harness/life_lines.h"
#include "testbench/test/harness/run_specs.h"
#include "testbench/test/harness/temporary_folder.h"
#include "testbench/test/harness/vcd_reader.h"
#include "testbench/workload/reference_data.h"

namespace tributary::test_chunk_trace {
namespace {

constexpr int nodes = 16;
constexpr std::uint64_t chunk = 5;
constexpr Bytes message = 32_KiB;
constexpr std::uint64_t first_element_of_chunk = chunk * 32 * 1024 / nodes / 4;

RunSpec on_torus(const std::string& algorithm, const std::string& collective = "allreduce") {
  RunSpec spec;
  spec.platform = "torus:4x4";
  spec.jobs[0].collective = collective;
  spec.jobs[0].algorithm = algorithm;
  spec.jobs[0].ranks = first_gpus(nodes);
  spec.jobs[0].items = {{"", message}};
  return spec;
}

RunSpec following(RunSpec spec, std::optional<unsigned> endpoint = {}) {
  spec.trace.block = BlockQuery{chunk, endpoint, true};
  return spec;
}

/// The first element of a node's contribution to the chunk.
double own_of(int node) {
  float value = 0;
  workload::fill(&value, sizeof value, {}, node, first_element_of_chunk);
  return value;
}

double sum_of_all() {
  double sum = 0;
  for (int node = 0; node < nodes; ++node) sum += own_of(node);
  return sum;
}

double time_of(const std::string& life, const std::string& marker) {
  const double time = time_of_marker(life, marker);
  CHECK(time >= 0);
  return time;
}

int node_of(const std::string& place) { return std::stoi(place.substr(3)); }

std::vector<double> values(const VcdFile& vcd, const std::string& name) {
  std::vector<double> all;
  for (const VcdFile::Change& c : vcd.at(name).changes) all.push_back(std::stod(c.value));
  return all;
}

std::vector<std::uint64_t> numbers(const VcdFile& vcd, const std::string& name) {
  std::vector<std::uint64_t> all;
  for (const VcdFile::Change& c : vcd.at(name).changes) all.push_back(std::stoull(c.value, nullptr, 2));
  return all;
}

}  // namespace

// A tree of 16 nodes has 15 edges. Each carries the chunk up and down: 2 KiB in 8 packets of 256 B.
TEST_CASE("chunk trace: MultiTree adds the contributions of its nodes and delivers the sum to all", "[system][waveform]") {
  const std::string life = run_one(following(on_torus("multitree"))).row.block_life;
  INFO(life);
  CHECK(lines_of(life, "^sends reduce .* 8 packets until").size() == 15);
  CHECK(lines_of(life, "^sends gather .* 8 packets until").size() == 15);
  CHECK(lines_of(life, "^receives reduce").size() == 15);
  CHECK(lines_of(life, "^receives gather").size() == 15);
  CHECK(lines_of(life, "^issues row \\d+: reduce in step").size() == 15);

  std::map<int, double> sums;
  for (int node = 0; node < nodes; ++node) sums[node] = own_of(node);
  for (const LifeLine& line : lines_of(life, "^begins with its own")) {
    const double own = std::stod(line.text.substr(line.text.find("own ") + 4));
    CHECK(own == own_of(node_of(line.place)));
  }
  for (const LifeLine& line : lines_of(life, "^adds")) {
    static const std::regex text(R"(adds (\S+) of nic(\d+), \d+ of \d+, sum (\S+))");
    std::smatch part;
    REQUIRE(std::regex_match(line.text, part, text));
    double& sum = sums[node_of(line.place)];
    CHECK(std::stod(part[1]) == sums[std::stoi(part[2])]);  // the partial sum of the child
    sum += std::stod(part[1]);
    CHECK(std::stod(part[3]) == sum);
  }
  CHECK(sums[chunk] == sum_of_all());
  const std::vector<LifeLine> complete = lines_of(life, "^complete");
  REQUIRE_FALSE(complete.empty());
  CHECK(complete.back().place == "nic5.nic.sum");
  CHECK(time_of(life, "completion") == complete.back().time);
  const std::vector<LifeLine> results = lines_of(life, "^receives gather");
  CHECK(time_of(life, "first arrival") == results.front().time);
  CHECK(time_of(life, "last arrival") == results.back().time);
}

TEST_CASE("chunk trace: the trace of a node shows its own part of the chunk's life", "[system][waveform]") {
  // Node 15 is a leaf of the tree of node 5: it sends its chunk once, and receives the sum once.
  const std::string life = run_one(following(on_torus("multitree"), 15)).row.block_life;
  INFO(life);
  CHECK(lines_of(life, "^sends").size() == 2);
  CHECK(lines_of(life, "^issues").size() == 1);
  CHECK(lines_of(life, "^adds .* of nic15,").size() == 1);
  CHECK(lines_of(life, "^adds").size() == 1);
}

TEST_CASE("chunk trace: a ring adds 15 operands along its path and then forwards the sum", "[system][waveform]") {
  const std::string life = run_one(following(on_torus("ring"))).row.block_life;
  INFO(life);
  CHECK(lines_of(life, "^sends").size() == 30);
  const std::vector<LifeLine> adds = lines_of(life, "^adds");
  REQUIRE(adds.size() == 15);
  double sum = own_of(5);  // the ring begins at the node given by the chunk's number
  for (const LifeLine& line : adds) {
    CHECK(std::stod(line.text.substr(5)) == sum);
    sum += own_of(node_of(line.place));
  }
  CHECK(sum == sum_of_all());
}

TEST_CASE("chunk trace: both modes give the same life", "[system][waveform]") {
  for (const char* algorithm : {"multitree", "ring", "double_binary_tree"}) {
    INFO(algorithm);
    RunSpec spec = following(on_torus(algorithm));
    spec.trace.block->block = 1;
    const Run windowed = run_one(spec);
    spec.mode = SimulationMode::event;
    CHECK(lines_of(windowed.row.block_life, "^sends").size() > 1);
    CHECK(windowed.row.block_life == run_one(spec).row.block_life);
  }
}

TEST_CASE("chunk trace: following a chunk changes nothing", "[system][waveform]") {
  const RunSpec spec = with_hashes(on_torus("multitree"));
  Run with = run_one(following(spec));
  with.row.block_life.clear();
  CHECK(difference(run_one(spec), with) == "");
}

TEST_CASE("chunk trace: the waveform is in the order of the chunk's life", "[system][waveform]") {
  TemporaryFolder folder;
  RunSpec spec = following(on_torus("multitree"));
  spec.trace.file = folder.file("c.vcd");
  const Run run = run_one(spec);
  const VcdFile vcd = read_vcd(spec.trace.file);
  CHECK(values(vcd, "nic5.nic.sum.value").back() == sum_of_all());
  CHECK(numbers(vcd, "nic5.nic.sum.count").back() == 5);  // its own operand and those of four neighbours
  const std::string save = read_text(spec.trace.file + ".gtkw");
  const std::vector<std::string> order{
      "+{nic15:port3>nic12:port2}", "-nic12.nic.sum", "+{nic12:port1>nic0:port0}", "-nic0.nic.sum", "-nic5.nic.sum",
      "+{nic5:port0>nic1:port1}",   "+{nic15:nic}"};
  for (std::size_t i = 1; i < order.size(); ++i) CHECK(save.find(order[i - 1]) < save.find(order[i]));
  for (const char* marker : {"[markername] Blast operand, completion", "[markername] Dlast arrival"})
    CHECK(save.find(marker) != std::string::npos);
}

TEST_CASE("waveform: a NIC shows its current tree and step, its rows and its partial sums", "[system][waveform]") {
  TemporaryFolder folder;
  RunSpec spec = on_torus("multitree");
  spec.trace.file = folder.file("n.vcd");
  spec.trace.globs = {"torus.nic5.*"};
  run_one(spec);
  const VcdFile vcd = read_vcd(spec.trace.file);
  const std::string nic = "torus.nic5.nic.";
  CHECK(numbers(vcd, nic + "step").back() == 10);  // 5 steps up, 5 down
  CHECK(numbers(vcd, nic + "flow").back() == 65535);
  CHECK(values(vcd, nic + "sum.value").size() > 5);
  // 15 rows reduce; the others send or forward the results: each row becomes valid once and invalid once.
  for (int row = 0; row < 15; ++row) {
    const std::string entry = nic + "schedule.entry" + std::to_string(row) + ".";
    CHECK(numbers(vcd, entry + "valid") == std::vector<std::uint64_t>{1, 0});
    CHECK(vcd.at(entry + "opcode").changes.empty());  // 0, a reduce
  }
  // Row 15 gathers tree 5, whose root is node 5: four neighbours have to send first.
  const std::string root = nic + "schedule.entry15.";
  CHECK(numbers(vcd, root + "flow") == std::vector<std::uint64_t>{5});
  CHECK(numbers(vcd, root + "parent") == std::vector<std::uint64_t>{65535});
  const std::vector<std::uint64_t> waits = numbers(vcd, root + "waits");
  REQUIRE(waits.size() == 5);
  CHECK(waits.front() == 15);
  CHECK(waits.back() == 0);
  CHECK(vcd.at(root + "ready").changes.back().time == vcd.at(root + "waits").changes.back().time);
  // a chunk from each child and from each parent of each tree
  CHECK(vcd.at(nic + "dependency_cleared").changes.size() == 30);
  const std::string save = read_text(spec.trace.file + ".gtkw");
  CHECK(save.find("+{entry15 waits}") != std::string::npos);
  CHECK(save.find("@28\n+{entry15 waits}") != std::string::npos);  // bits
}

TEST_CASE("waveform: both modes write the same file of a network", "[system][waveform]") {
  for (const char* algorithm : {"multitree", "ring"}) {
    TemporaryFolder folder;
    RunSpec spec = on_torus(algorithm);
    spec.trace.file = folder.file("windowed.vcd");
    run_one(spec);
    spec.trace.file = folder.file("event.vcd");
    spec.mode = SimulationMode::event;
    run_one(spec);
    const bool same = read_text(folder.file("windowed.vcd")) == read_text(folder.file("event.vcd"));
    INFO(algorithm);
    CHECK(same);
  }
}

}  // namespace tributary::test_chunk_trace
