/// A waveform shows the same events in both modes, byte for byte.
#include <catch2/catch.hpp>

#include "testbench/test/harness/forked_run.h"
#include "testbench/test/harness/run_specs.h"
#include "testbench/test/harness/temporary_folder.h"
#include "testbench/test/harness/vcd_reader.h"

namespace tributary::test_waveform_run {
namespace {

/// Compares without printing megabytes.
void check_same_files(const std::string& a, const std::string& b) {
  const std::string x = read_text(a), y = read_text(b);
  CHECK(x.size() > 1000);
  CHECK(x.size() == y.size());
  const auto first = std::mismatch(x.begin(), x.end(), y.begin(), y.end()).first;
  const std::size_t at = static_cast<std::size_t>(first - x.begin());
  INFO("byte " << at << ": " << x.substr(at, 40));
  CHECK(at == x.size());
}

void check_modes_write_alike(const std::string& algorithm, const std::vector<Bytes>& sizes) {
  INFO(algorithm << ", " << sizes.size() << " sizes");
  TemporaryFolder folder;
  RunSpec spec = run_spec(algorithm, first_gpus(16), sizes);
  spec.trace.file = folder.file("windowed.vcd");
  run_all(spec);
  spec.trace.file = folder.file("event.vcd");
  spec.mode = SimulationMode::event;
  run_all(spec);
  check_same_files(folder.file("windowed.vcd"), folder.file("event.vcd"));
}

}  // namespace

TEST_CASE("waveform: both modes write the same file", "[system][waveform]") {
  for (const char* algorithm : {"push", "pull", "ring", "multicast"}) check_modes_write_alike(algorithm, {16_KiB});
}

TEST_CASE("waveform: a message gives the same file within a sweep", "[system][waveform]") {
  for (const char* algorithm : {"push", "pull", "ring"}) check_modes_write_alike(algorithm, {16_KiB, 2_KiB, 4_B});
}

TEST_CASE("waveform: tracing changes nothing", "[system][waveform]") {
  TemporaryFolder folder;
  RunSpec spec = with_hashes(run_spec("push", first_gpus(16), {20000_B, 4_B}));
  const std::vector<Run> untraced = run_all(spec);
  spec.trace.file = folder.file("w.vcd");
  CHECK(difference(untraced, run_all(spec)) == "");
}

TEST_CASE("waveform: it shows one block's reduction from 16 operands to the result", "[system][waveform]") {
  // The home of block 0 is port 0 of switch0_0 (docs/systems/klenk.md#address-hash); 128 B are that one block.
  TemporaryFolder folder;
  RunSpec spec = run_spec("push", first_gpus(16), {128_B});
  spec.trace.file = folder.file("w.vcd");
  spec.trace.globs = {"dgx2.switch0_0.port0.*"};
  const Run run = run_one(spec);
  const VcdFile vcd = read_vcd(spec.trace.file);
  const auto values = [&](const std::string& name) {
    std::vector<std::uint64_t> all;
    for (const VcdFile::Change& c : vcd.at("dgx2.switch0_0.port0." + name).changes)
      all.push_back(std::stoull(c.value, nullptr, 2));
    return all;
  };
  CHECK(values("table.occupancy") == std::vector<std::uint64_t>{1, 0});
  CHECK(vcd.at("dgx2.switch0_0.port0.table.allocations").changes.size() == 1);
  CHECK(vcd.at("dgx2.switch0_0.port0.table.merges").changes.size() == 15);
  CHECK(vcd.at("dgx2.switch0_0.port0.table.completions").changes.size() == 1);
  CHECK(vcd.at("dgx2.switch0_0.port0.table.evictions").changes.empty());
  CHECK(vcd.end > 0);
  CHECK(run.row.time > 0);
  for (const auto& [name, variable] : vcd.variables) CHECK(name.rfind("dgx2.switch0_0.port0.", 0) == 0);
}

}  // namespace tributary::test_waveform_run
