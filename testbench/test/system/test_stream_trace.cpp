/// The life of one chunk of a tree: its times by hand, its sums as the host computes them.
#include <catch2/catch.hpp>

#include "testbench/run/errors.h"
#include "testbench/test/harness/forked_run.h"
#include "testbench/test/harness/life_lines.h"
#include "testbench/test/harness/run_specs.h"
#include "testbench/test/harness/temporary_folder.h"
#include "testbench/test/harness/vcd_reader.h"
#include "testbench/workload/reference_data.h"

namespace tributary::test_stream_trace {

using Catch::Matchers::Contains;

namespace {

/// GPUs 0 to 3 of a DGX-1V in a chain: one link between 0 and 1, two between the others.
RunSpec chain(const std::string& collective, std::uint64_t chunk, std::optional<unsigned> gpu = {}) {
  RunSpec spec =
      collective_spec(collective, "blink", first_gpus(4), {128_KiB}, {"blink.chunk=64KiB", "blink.trees=0>1>2>3"});
  spec.platform = "dgx1v";
  spec.jobs.front().root = 0;
  spec.trace.block = BlockQuery{chunk, gpu, false};
  return spec;
}

/// Launch, then 256 packets of 256 B and a header flit over the links of a pair, at 25 GB/s each.
double copy_time(int links) { return 2500 + 256.0 / links * 272 / 25; }
/// From the start of a copy until a stream of its receiver sees the record after it.
double hop(int links) { return copy_time(links) + 1500 + 32 / 25.0 + 20 + 1000; }
/// From the start of a copy until its last data take effect: `acquire` after the header flit of its last burst, which
/// carries the remainder of a link's part after bursts of 15 packets.
double arrival(int links) { return copy_time(links) - 256 / links % 15 * 272 / 25.0 + 16 / 25.0 + 20 + 1000; }
/// A kernel of one mailbox at 260 GB/s.
constexpr double kernel = 5000 + 65536 / 260.0;

double sum_from(int gpu, std::uint64_t chunk) {
  double sum = 0;
  for (int g = gpu; g < 4; ++g) {
    float value = 0;
    workload::fill(&value, sizeof value, {}, g, chunk * 65536 / 4);
    sum += value;
  }
  return sum;
}

}  // namespace

TEST_CASE("chunk of a tree: it goes up a chain of four with sums, and down again", "[system][blink][waveform]") {
  const std::string life = run_one(chain("allreduce", 0)).row.block_life;
  INFO(life);
  const std::vector<LifeLine> sums = lines_of(life, "^kernel adds 1 mailbox,");
  REQUIRE(sums.size() == 3);
  double time = hop(2);
  for (int g = 2; g >= 0; --g) {
    const LifeLine& sum = sums[static_cast<std::size_t>(2 - g)];
    CHECK(sum.place == "gpu" + std::to_string(g) + ".stream0");
    CHECK(sum.time == Approx(time).margin(0.001));
    CHECK(number_after(sum.text, "first element ") == sum_from(g, 0));
    time += kernel + (g == 0 ? 0 : hop(g == 1 ? 1 : 2));
  }
  CHECK(time_of_marker(life, "last kernel has added") == Approx(time).margin(0.002));
  time += 1500 + 1000;  // the root's record for its stream down, and the wait
  CHECK(lines_of(life, "^engine \\d+ copies 65536 B to gpu1", "gpu0").at(0).time == Approx(time).margin(0.002));
  const std::string sum = std::to_string(static_cast<int>(sum_from(0, 0)));
  const std::vector<LifeLine> results = lines_of(life, "^receives .* first element " + sum + ",");
  REQUIRE(results.size() == 3);
  CHECK(results[0].time == Approx(time + arrival(1)).margin(0.002));
  CHECK(results[2].time == Approx(time + hop(1) + hop(2) + arrival(2)).margin(0.002));
  CHECK(time_of_marker(life, "last result in memory") == Approx(results[2].time).margin(0.001));
  CHECK(lines_of(life, "^engine \\d+ copies").size() == 6);  // three edges, up and down
  CHECK(lines_of(life, "^releases").size() == 6);
}

TEST_CASE("chunk of a tree: the second chunk waits for links that carry the first", "[system][blink][waveform]") {
  const std::string life = run_one(chain("broadcast", 1)).row.block_life;
  INFO(life);
  CHECK(lines_of(life, "^receives 65536 B").size() == 3);
  CHECK(lines_of(life, "copies", "gpu0").at(0).time == Approx(copy_time(1) + 1500).margin(0.001));  // after it in its stream
  CHECK(lines_of(life, "^kernel").empty());
  CHECK_THROWS_WITH(run_one(chain("broadcast", 7)), Catch::Contains("the message has no chunk 7; legal: 0 to 1"));
}

TEST_CASE("chunk of a tree: the trace of one GPU shows its own part", "[system][blink][waveform]") {
  const std::string life = run_one(chain("allreduce", 1, 2)).row.block_life;
  INFO(life);
  CHECK(lines_of(life, "^receives ").size() == 2);
  CHECK(lines_of(life, "copies").size() == 4);
  CHECK(lines_of(life, ".", "^gpu0").empty());
}

TEST_CASE("chunk of a tree: its life can be written as a waveform", "[system][blink][waveform]") {
  const TemporaryFolder folder;
  RunSpec spec = chain("allreduce", 0);
  spec.trace.file = folder.file("life.vcd");
  const std::string life = run_one(spec).row.block_life;
  const VcdFile vcd = read_vcd(spec.trace.file);
  const VcdFile::Change& last = vcd.at("gpu3.memory.value").changes.back();
  CHECK(std::stod(last.value) == sum_from(0, 0));
  CHECK(vcd.at("gpu0.memory.value").changes.back().value == last.value);
  CHECK(vcd.at("gpu2.stream0.state").changes.size() >= 4);  // waits, adds, copies, records
}

TEST_CASE("chunk of a tree: channels and several jobs are refused", "[system][blink]") {
  RunSpec spec = chain("broadcast", 0);
  spec.jobs.front().algorithm = "nccl";
  CHECK_THROWS_WITH(run_one(spec), Contains("nccl has none"));
}

}  // namespace tributary::test_stream_trace
