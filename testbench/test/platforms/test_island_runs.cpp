// Two equal machines in one graph: each gives the run of the machine alone, to the picosecond.
#include <algorithm>
#include <catch2/catch.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "modules/link/link_protocol.h"
#include "platforms/nvswitch/fabric_manager.h"
#include "platforms/topology/islands.h"
#include "testbench/family/nvswitch/algorithms.h"
#include "testbench/run/completion.h"
#include "testbench/run/resolve.h"
#include "testbench/test/harness/forked_run.h"
#include "testbench/test/harness/run_specs.h"
#include "testbench/workload/buffers.h"
#include "testbench/workload/reference_data.h"

namespace tributary::test_island_runs {
namespace {

using Catch::Matchers::Contains;

constexpr int gpus = 16;

RunSpec spec_of(const std::string& algorithm, bool windowed) {
  RunSpec spec = run_spec(algorithm, first_gpus(gpus), {256_KiB});
  spec.mode = windowed ? SimulationMode::windowed : SimulationMode::event;
  return spec;
}

JobSpec job_of(const RunSpec& spec, int island) {
  JobSpec job = spec.jobs.front();
  for (int& rank : job.ranks) rank += island * gpus;
  return job;
}

/// A DGX-2, or several as islands, each with an all-reduce of its own.
struct Servers {
  Servers(RunSpec given, int islands)
      : spec(std::move(given)),
        count(islands),
        params(resolve_parameters(spec).of<NvSwitchPlatformParams>()),
        machine(machine_of(islands)),
        system("dgx2", machine, {params, spec.seed, true, spec.mode == SimulationMode::windowed}, completion),
        fabric(system) {}

  static Machine machine_of(int islands) {
    Machine made = tributary::machine("dgx2");
    made.graph = topology::islands(made.graph, islands);
    return made;
  }
  /// Returns a line for each island: its end, wrong elements, and the traffic of each of its links.
  std::vector<std::string> run() {
    std::vector<std::vector<int>> ranks;
    ranks.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) ranks.push_back(job_of(spec, i).ranks);
    completion.expect(ranks);
    const Tick t0 = params.gpu.doorbell_latency.value;
    system.begin(t0);
    for (int i = 0; i < count; ++i) post(job_of(spec, i), t0);
    sc_core::sc_start();
    std::vector<std::string> rows;
    rows.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) rows.push_back(row(i, t0));
    return rows;
  }

  RunSpec spec;
  int count;
  NvSwitchPlatformParams params;
  Machine machine;
  Completion completion;
  NvSwitchPlatform system;
  FabricManager fabric;

 private:
  static constexpr std::uint64_t message = 256 * 1024;
  workload::DataSpec data() const { return {spec.jobs[0].type, workload::Values::exact, 1, spec.jobs[0].op}; }
  Gpu& gpu(const JobSpec& job, int rank) {
    return system.gpu(static_cast<unsigned>(job.ranks.at(static_cast<std::size_t>(rank))));
  }
  void post(const JobSpec& job, Tick t0) {
    Lowered lowered = lower(job, bytes(message), params, fabric);
    for (int r = 0; r < gpus; ++r) gpu(job, r).memory().resize(lowered.memory_bytes);
    fill_buffers(job, bytes(message), data(), [&](int rank) { return gpu(job, rank).memory().data(); });
    for (int r = 0; r < gpus; ++r) gpu(job, r).post(std::move(lowered.operations[static_cast<std::size_t>(r)]), t0);
  }
  std::string row(int island, Tick t0) {
    const JobSpec job = job_of(spec, island);
    std::ostringstream text;
    text << "end " << completion.last(static_cast<std::size_t>(island)) - t0 << " wrong "
         << count_wrong(results_of(job, bytes(message)), data(), [&](int rank) { return gpu(job, rank).memory().data(); });
    const std::size_t of_island = system.links().size() / static_cast<std::size_t>(count);
    for (std::size_t i = 0; i < of_island; ++i) {
      const LinkMeter::Traffic& t = system.links()[static_cast<std::size_t>(island) * of_island + i].transmitter->traffic();
      text << ' ' << t.packets << ' ' << t.bytes << ' ' << t.last_start;
    }
    return text.str();
  }
};

std::string rows_in_child(const std::string& algorithm, int islands, bool windowed) {
  return in_child([&] {
    Servers servers(spec_of(algorithm, windowed), islands);
    const std::vector<std::string> rows = servers.run();
    if (!servers.completion.all_done() || servers.system.live_packets() != 0 || !servers.system.waiting().empty())
      throw std::runtime_error("a run has not ended");
    std::string text;
    for (const std::string& row : rows) text += row + "\n";
    for (const auto& [name, value] : servers.system.counters())
      text += name + " " + std::to_string(value / (name.find("max") == std::string::npos ? islands : 1)) + "\n";
    return text;
  });
}

}  // namespace

TEST_CASE("islands: two DGX-2 in one graph give the run of one, in both modes", "[system][islands]") {
  const std::string algorithm = GENERATE("push", "pull");
  const std::string alone = rows_in_child(algorithm, 1, true), row = alone.substr(0, alone.find('\n') + 1);
  CHECK_THAT(row, Contains(" wrong 0 "));
  for (const bool windowed : {true, false}) CHECK(rows_in_child(algorithm, 2, windowed) == row + alone);
}

TEST_CASE("islands: each has addresses of its own, and no region joins two", "[system][islands]") {
  Servers servers(spec_of("push", true), 2);
  FabricManager& fabric = servers.fabric;
  const BlockRange first = fabric.multicast_region({0, 1, 2}, 0, 1024), second = fabric.multicast_region({16, 17}, 0, 1024);
  CHECK(first.network == second.network);
  CHECK(fabric.unicast_buffer(17, 4096, 128) == 1024);
  CHECK(fabric.registered_bytes() == 1024 + 128);
  CHECK_THROWS_WITH(fabric.multicast_region({15, 16}, 8192, 128),
                    "gpu15 and gpu16 are members of a multicast region, but belong to islands that no switch joins");
}

}  // namespace tributary::test_island_runs
