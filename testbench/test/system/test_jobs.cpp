/// Concurrent jobs on separate GPUs.
#include <catch2/catch.hpp>
#include <set>

#include "testbench/family/nvswitch/resolve.h"
#include "testbench/run/resolve.h"
#include "testbench/run/session.h"
#include "testbench/run/task.h"
#include "testbench/test/harness/forked_run.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_jobs {

using Catch::Matchers::Contains;

namespace {

JobSpec job(const std::string& algorithm, const std::vector<int>& ranks, Time start = {}) {
  JobSpec j;
  j.algorithm = algorithm;
  j.ranks = ranks;
  j.start = start;
  return j;
}

std::vector<int> gpus(int first, int last) {
  std::vector<int> list;
  for (int g = first; g <= last; ++g) list.push_back(g);
  return list;
}

RunSpec jobs(const std::vector<JobSpec>& all, Bytes size, const std::vector<std::string>& settings = {}) {
  RunSpec spec = run_spec("push", {0, 1}, {size}, settings);
  spec.jobs = all;
  for (JobSpec& job : spec.jobs) job.items = {{"", size}};
  return spec;
}

void check_right(const std::vector<Run>& runs) {
  for (const Run& run : runs) {
    INFO(run.row.report);
    CHECK(run.row.status == Status::done);
    CHECK(run.row.wrong == 0u);
    CHECK(run.row.algbw_GBps() <= run.row.bound_GBps);
  }
}

double time_of(const std::vector<Run>& runs, std::size_t job = 0) { return static_cast<double>(runs.at(job).row.time); }

}  // namespace

TEST_CASE("jobs: two all-reduces on disjoint halves take as long as alone, except that pushes share tables",
          "[system][jobs]") {
  // A pull on its own board shares only the idle trunks with the other job. A push spreads its homes over both boards,
  // so two pushes share the tables, and each is slower than alone, but faster than if they ran in turn.
  for (const char* algorithm : {"push", "pull", "ring"}) {
    INFO(algorithm);
    const auto both = run_all(jobs({job(algorithm, gpus(0, 7)), job(algorithm, gpus(8, 15))}, 512_KiB));
    REQUIRE(both.size() == 2);
    check_right(both);
    const auto first = run_all(jobs({job(algorithm, gpus(0, 7))}, 512_KiB));
    const auto second = run_all(jobs({job(algorithm, gpus(8, 15))}, 512_KiB));
    const double slack = std::string(algorithm) == "push" ? 1.6 : 1.05;
    CHECK(time_of(both, 0) >= 0.98 * time_of(first));
    CHECK(time_of(both, 0) <= slack * time_of(first));
    CHECK(time_of(both, 1) >= 0.98 * time_of(second));
    CHECK(time_of(both, 1) <= slack * time_of(second));
    if (slack > 1.1) continue;
    CHECK(both[0].row.wire_bytes == first[0].row.wire_bytes + second[0].row.wire_bytes);  // nothing is evicted
  }
}

TEST_CASE("jobs: any mix of algorithms, types and GPUs is right in both modes", "[system][jobs]") {
  std::vector<JobSpec> all{job("push", {0, 9, 3, 12}), job("pull", {1, 8, 15}, 300_ns), job("ring", {2, 4, 10, 11, 5}),
                           job("halving_doubling", {6, 7, 13, 14}, 1_us)};
  all[1].type = ElementType::f16;
  all[2].op = ReduceOp::max;
  all[2].type = ElementType::i32;
  for (const char* setting : {"nvswitch.fabric.hash=interleave", "nvswitch.switch.reduction_table.bytes=1KiB",
                              "nvswitch.gpu.dma.counter_lookup=id"}) {
    INFO(setting);
    RunSpec spec = jobs(all, 32_KiB, {setting});
    spec.jobs[1].items[0].size = 5000_B;
    const auto windowed = run_all(with_hashes(spec)), event = run_all(with_hashes(spec, SimulationMode::event));
    CHECK(difference(windowed, event) == "");
    REQUIRE(windowed.size() == 4);
    check_right(windowed);
    CHECK(windowed[1].row.size_bytes == 5000);
  }
}

TEST_CASE("jobs: pushes that compete for tables of one entry are right", "[system][jobs]") {
  const RunSpec spec =
      jobs({job("push", gpus(0, 7)), job("push", gpus(8, 15))}, 64_KiB, {"nvswitch.switch.reduction_table.bytes=128B"});
  const auto windowed = run_all(with_hashes(spec)), event = run_all(with_hashes(spec, SimulationMode::event));
  CHECK(difference(windowed, event) == "");
  check_right(windowed);
  CHECK(windowed[0].row.counters.at("switch.evictions") > 0);
}

TEST_CASE("jobs: pulls that wait for entries that only the timeout of a push frees are right", "[system][jobs]") {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    INFO(seed);
    RunSpec spec = jobs({job("push", {0, 9, 3, 12, 5, 14}), job("pull", {1, 8, 15, 7, 2, 10})}, 32_KiB,
                        {"nvswitch.switch.reduction_table.bytes=128B", "nvswitch.fabric.hash=random"});
    spec.seed = seed;
    const auto windowed = run_all(with_hashes(spec)), event = run_all(with_hashes(spec, SimulationMode::event));
    CHECK(difference(windowed, event) == "");
    check_right(windowed);
  }
}

TEST_CASE("jobs: concurrent jobs of other collectives are right", "[system][jobs]") {
  JobSpec broadcast = job("multicast", gpus(0, 5)), scatter = job("pull", gpus(6, 10)), all = job("direct", gpus(11, 15));
  broadcast.collective = "broadcast", broadcast.root = 2;
  scatter.collective = "reduce_scatter";
  all.collective = "alltoall";
  const auto runs = run_all(jobs({broadcast, scatter, all}, 20'000_B));
  REQUIRE(runs.size() == 3);
  check_right(runs);
}

TEST_CASE("jobs: a job that starts later changes nothing before its start", "[system][jobs]") {
  // Before the start every packet is as without the second job; the time limit ends both runs there.
  const auto cut = [](std::vector<JobSpec> all) {
    RunSpec spec = with_hashes(jobs(all, 512_KiB));
    spec.time_limit = 3_us;
    return run_all(spec);
  };
  const JobSpec first = job("push", gpus(0, 7));
  const auto alone = cut({first}), before = cut({first, job("push", gpus(8, 15), 3_us)});
  const auto beside = cut({first, job("push", gpus(8, 15), 2_us)});
  CHECK(alone[0].row.status == Status::time_limit);
  CHECK(alone[0].hashes.trajectory != 0);
  CHECK(before[0].hashes.trajectory == alone[0].hashes.trajectory);
  CHECK(beside[0].hashes.trajectory != alone[0].hashes.trajectory);
  // A job that starts after the end of the first does not change its time, and counts its own time from its own start.
  const auto whole = run_all(jobs({first}, 64_KiB));
  const auto apart = run_all(jobs({first, job("push", gpus(8, 15), 50_us)}, 64_KiB));
  check_right(apart);
  CHECK(apart[0].row.time == whole[0].row.time);
  CHECK(time_of(apart, 1) == Approx(time_of(whole)).epsilon(0.1));
}

TEST_CASE("jobs: packet latency is counted per job, the rest for the whole run", "[system][jobs]") {
  const auto runs = run_all(jobs({job("push", gpus(0, 7)), job("ring", gpus(8, 15))}, 64_KiB));
  check_right(runs);
  const auto packets = [&](std::size_t j) {
    std::uint64_t sum = 0;
    for (const auto& bucket : runs[j].row.latency_histograms.at("collective")) sum += bucket.second;
    return sum;
  };
  // 512 blocks: a push delivers 8 operands and 8 results of each; a ring delivers 2 (8 - 1) messages of an eighth at
  // each rank.
  CHECK(packets(0) == 512 * (8 + 8));
  CHECK(packets(1) == 512 * 2 * (8 - 1));
  CHECK(runs[0].row.counters.at("packet_latency_ns.mean") != runs[1].row.counters.at("packet_latency_ns.mean"));
  CHECK(runs[0].row.wire_bytes == runs[1].row.wire_bytes);
}

TEST_CASE("jobs: automatic tables and waves follow the needs of each job", "[pure][jobs]") {
  const RunSpec spec = jobs({job("push", gpus(0, 7)), job("pull", gpus(8, 15))}, 64_KiB);
  const auto p = resolve_parameters(spec).of<NvSwitchPlatformParams>();
  CHECK(p.switches.reduction_table.bytes == 4_KiB);  // for the pull
  CHECK(p.gpu.dma.waves == 16u);                     // for the push
  CHECK(waves_of(spec, spec.jobs[0]) == 16);
  CHECK(waves_of(spec, spec.jobs[1]) == 4);
  const RunSpec set = jobs({job("push", gpus(0, 7)), job("pull", gpus(8, 15))}, 64_KiB, {"nvswitch.gpu.dma.waves=7"});
  CHECK(waves_of(set, set.jobs[0]) == 7);
  CHECK(waves_of(set, set.jobs[1]) == 7);
}

TEST_CASE("jobs: no two jobs have the same operands", "[pure][jobs]") {
  for (const DataMode mode : {DataMode::exact, DataMode::random}) {
    RunSpec spec = jobs(std::vector<JobSpec>(8, job("push", {0, 1})), 1_KiB);
    spec.data = mode;
    std::set<std::vector<float>> operands;
    for (const Task& task : tasks_of(spec, 0))
      for (const int rank : {0, 1}) {
        std::vector<float> values(256);
        workload::fill(values.data(), 1024, data_of(spec, task), rank);
        operands.insert(values);
      }
    CHECK(operands.size() == 16);
  }
}

TEST_CASE("jobs: the operands of a single job depend on the seed alone", "[pure][jobs]") {
  RunSpec spec = jobs({job("push", {0, 1})}, 1_KiB);
  spec.seed = 7;
  CHECK(data_of(spec, tasks_of(spec, 0).front()).seed == 7);
}

TEST_CASE("jobs: two jobs may not share a GPU", "[pure][jobs]") {
  CHECK_THROWS_WITH(resolve_parameters(jobs({job("push", gpus(0, 3)), job("pull", {4, 5}), job("ring", {9, 3})}, 1_KiB)),
                    Contains("jobs 0 and 2 both use gpu3"));
  CHECK_NOTHROW(resolve_parameters(jobs({job("push", gpus(0, 3)), job("pull", {4, 5}), job("ring", {9, 8})}, 1_KiB)));
}

TEST_CASE("jobs: a stuck job is reported, and the other job's result is kept", "[system][jobs]") {
  RunSpec spec = jobs({job("push", gpus(0, 7)), job("ring", gpus(8, 15))}, 16_KiB);
  spec.jobs[0].withheld_rank = 3;
  const auto runs = run_all(spec);
  CHECK(runs[0].row.status == Status::no_progress);
  CHECK_THAT(runs[0].row.report, Contains("8 ranks are not done"));
  CHECK(runs[0].row.time == 0);
  CHECK(runs[1].row.status == Status::done);
  CHECK(runs[1].row.wrong == 0u);
  CHECK(runs[1].row.time > 0);
}

TEST_CASE("jobs: a late start is not a deadlock", "[system][jobs]") {
  check_right(run_all(jobs({job("push", gpus(0, 7)), job("pull", gpus(8, 15), 3_ms)}, 4_KiB)));  // the watchdog waits 1 ms
}

}  // namespace tributary::test_jobs
