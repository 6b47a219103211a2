/// All signals of GPUs with copy engines in a waveform: the same in both modes.
#include <catch2/catch.hpp>

#include "testbench/test/harness/forked_run.h"
#include "testbench/test/harness/run_specs.h"
#include "testbench/test/harness/temporary_folder.h"
#include "testbench/test/harness/vcd_reader.h"

namespace tributary::test_stream_waveform {

TEST_CASE("waveform: both modes write the same file of GPUs with copy engines", "[system][blink][waveform]") {
  TemporaryFolder folder;
  RunSpec spec = collective_spec("allreduce", "blink", first_gpus(8), {bytes(400'000)}, {});
  spec.platform = "dgx1v";
  spec.trace.file = folder.file("windowed.vcd");
  run_one(spec);
  spec.mode = SimulationMode::event;
  spec.trace.file = folder.file("event.vcd");
  run_one(spec);
  const bool same = read_text(folder.file("windowed.vcd")) == read_text(folder.file("event.vcd"));
  CHECK(same);
  const VcdFile vcd = read_vcd(folder.file("event.vcd"));
  // counts down to zero, like the waits and the grants
  CHECK(vcd.at("dgx1v.gpu0.operation.remaining").changes.back().value == "0");
  for (unsigned gpu = 0; gpu < 8; ++gpu) {
    const std::string name = "dgx1v.gpu" + std::to_string(gpu) + ".";
    CHECK(vcd.at(name + "queue0.command").changes.size() > 3);
    CHECK(vcd.at(name + "engine0.busy").changes.back().value == "0");
  }
}

}  // namespace tributary::test_stream_waveform
