/// Values that Blink's driver tunes from one iteration to the next: the size of chunks, and the bytes over PCIe.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include "testbench/collective/packing/chunk_tuner.h"
#include "testbench/test/harness/forked_run.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_blink_iterations {
namespace {

constexpr Bytes MB(std::uint64_t n) { return bytes(n * 1'000'000); }

RunSpec spec_of(const std::string& collective, const std::string& algorithm, const std::vector<int>& gpus, Bytes size,
                unsigned iterations, const std::vector<std::string>& settings = {}) {
  RunSpec spec = collective_spec(collective, algorithm, gpus, {size}, settings);
  spec.platform = "dgx1v";
  spec.iterations = iterations;
  return spec;
}

double run_bytes(const Run& run, const std::string& counter) { return run.row.counters.at(counter); }

double rate(const RunSpec& spec) { return run_one(without_data(spec)).row.algbw_GBps(); }

}  // namespace

TEST_CASE("blink: the tuned chunk is nearly as fast as the best fixed size", "[system][blink]") {
  const std::vector<int> gpus{0, 1, 2, 3};
  double best = 0;
  for (const char* chunk : {"1MB", "2MB", "4MB", "5MB", "6MB", "8MB", "16MB"})
    best = std::max(best, rate(spec_of("broadcast", "blink", gpus, MB(500), 0, {"blink.chunk=" + std::string(chunk)})));
  const std::vector<Run> runs = run_all(without_data(spec_of("broadcast", "blink", gpus, MB(500), 10)));
  REQUIRE(runs.size() == 10);
  collective::ChunkTuner tuner(1'000'000, 500'000'000);  // with the rates of the rows
  std::size_t changed = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    INFO("iteration " << i << ": " << tuned_text(runs[i].row) << ", " << runs[i].row.algbw_GBps() << " GB/s of " << best);
    CHECK(tuned_text(runs[i].row) == "chunk=" + to_string(bytes(tuner.chunk())));
    const std::uint64_t chunk = tuner.chunk();
    tuner.measured(runs[i].row.algbw_GBps());
    if (tuner.chunk() != chunk) changed = i + 1;
    if (i >= 3) CHECK(runs[i].row.algbw_GBps() >= 0.98 * best);  // Fig. 11: four iterations until the rate is steady
  }
  CHECK(changed < runs.size());
  CHECK(runs.back().row.algbw_GBps() >= 0.995 * best);
  CHECK(runs[0].row.algbw_GBps() == rate(spec_of("broadcast", "blink", gpus, MB(500), 0, {"blink.chunk=1MB"})));
}

TEST_CASE("blink: data are right with every chunk that the tuner tries", "[system][blink]") {
  for (const char* collective : {"broadcast", "allreduce"}) {
    std::vector<std::string> chunks;
    for (const Run& run : run_all(spec_of(collective, "blink", {0, 3, 4}, bytes(5'000'004), 5))) {
      CHECK(run.row.status == Status::done);
      CHECK(run.row.wrong == 0);
      chunks.push_back(tuned_text(run.row));
    }
    CHECK(chunks[0] == "chunk=1MB");
    CHECK(chunks[1] == "chunk=2MB");
  }
}

TEST_CASE("blink: a fixed chunk and rings are the same in each iteration", "[system][blink]") {
  for (const char* algorithm : {"blink", "nccl"}) {
    const std::vector<Run> runs =
        run_all(with_hashes(spec_of("allreduce", algorithm, {0, 1, 2, 3}, MB(2), 3, {"blink.chunk=300kB"})));
    for (const Run& run : runs) CHECK(difference(runs.front(), run) == "");
    CHECK(runs.front().row.tuned.empty());
    CHECK(runs.front().row.wrong == 0);
  }
}

TEST_CASE("blink: a hybrid follows its equation, also with a switch that takes too long", "[system][blink]") {
  for (const char* collective : {"broadcast", "allreduce", "reduce"}) {
    INFO(collective);
    const auto run = [&](const std::string& peer_switch) {
      const std::vector<std::string> settings{"blink.host.peer_switch=" + peer_switch};
      return run_one(spec_of(collective, "blink_hybrid", {0, 3, 4}, bytes(3'000'004), 0, settings));
    };
    const Run both = run("1us"), alone = run("10ms");
    CHECK(both.row.wrong == 0);
    CHECK(run_bytes(both, "copied.pcie_bytes") > 0);
    CHECK(run_bytes(both, "copied.nvlink_bytes") > 0);
    CHECK(alone.row.wrong == 0);
    CHECK(run_bytes(alone, "copied.pcie_bytes") == 0);
    CHECK(alone.row.time == run_one(spec_of(collective, "blink", {0, 3, 4}, bytes(3'000'004), 0)).row.time);
  }
}

TEST_CASE("blink: both paths of a hybrid with measured rates end simultaneously", "[system][blink]") {
  // GPUs, and the first iteration whose rates were measured with nearly its own bytes: a longer chain over PCIe takes
  // longer to fill.
  for (const auto& [count, settled] : {std::pair{3, 3}, {4, 3}, {8, 5}}) {
    INFO(count << " GPUs");
    const std::vector<int> gpus = first_gpus(count);
    const std::vector<std::string> settings{"blink.hybrid.measure=true", "blink.chunk=2MB"};
    const RunSpec spec = spec_of("broadcast", "blink_hybrid", gpus, MB(500), settled + 2, settings);
    const std::vector<Run> runs = run_all(without_data(spec));
    REQUIRE(runs.size() == static_cast<std::size_t>(settled) + 2);
    const double edges = static_cast<double>(gpus.size() - 1);
    for (const Run& run : runs) {
      CHECK(run.row.status == Status::done);
      CHECK(run_bytes(run, "copied.pcie_bytes") + run_bytes(run, "copied.nvlink_bytes") == edges * 500e6);
    }
    CHECK(run_bytes(runs[0], "copied.pcie_bytes") == 0);
    CHECK(run_bytes(runs[1], "copied.nvlink_bytes") == 0);
    for (auto i = static_cast<std::size_t>(settled); i + 1 < runs.size(); ++i) {
      // The rates that split the next iteration give the end of each part of this one, in ns.
      const auto tuned = [&](std::size_t row, std::size_t which) { return runs[row].row.tuned.at(which).value.value_or(0); };
      const double on_pcie = tuned(i, 0), time = static_cast<double>(runs[i].row.time) * 1e-3;
      const double nvlink = (500e6 - on_pcie) / tuned(i + 1, 1);
      const double pcie = 0.45e6 * static_cast<double>(gpus.size()) + on_pcie / tuned(i + 1, 2);
      INFO("iteration " << i << ": " << on_pcie << " B, " << nvlink << " and " << pcie << " of " << time << " ns");
      CHECK(run_bytes(runs[i], "copied.pcie_bytes") == edges * on_pcie);
      CHECK(std::abs(nvlink - pcie) <= 0.02 * time);
      CHECK(std::max(nvlink, pcie) <= time);
      CHECK(std::max(nvlink, pcie) >= 0.98 * time);
      CHECK(runs[i].row.algbw_GBps() > runs[0].row.algbw_GBps());
    }
  }
}

}  // namespace tributary::test_blink_iterations
