/// Servers of GPUs with copy engines, end to end: right data, both modes agree, rates by arithmetic, refusals.
#include <catch2/catch.hpp>

#include "testbench/collective/packing/chunk_tuner.h"
#include "testbench/family/blink/algorithms.h"
#include "testbench/family/blink/parameters.h"
#include "testbench/run/errors.h"
#include "testbench/run/resolve.h"
#include "testbench/test/harness/mode_check.h"
#include "testbench/test/harness/run_specs.h"
#include "testbench/workload/collective.h"

namespace tributary::test_blink_system {

using Catch::Matchers::Contains;

namespace {

constexpr Bytes MB(std::uint64_t n) { return bytes(n * 1'000'000); }

RunSpec spec_of(const std::string& collective, const std::vector<int>& gpus, const std::vector<Bytes>& sizes,
                const std::vector<std::string>& settings = {}) {
  RunSpec spec = collective_spec(collective, "blink", gpus, sizes, settings);
  spec.platform = "dgx1v";
  return spec;
}

double rate(const RunSpec& spec) { return run_one(without_data(spec)).row.algbw_GBps(); }

/// Settings under which only copies take time.
const std::vector<std::string> no_overheads{"blink.streams.acquire=0ns", "blink.streams.release=0ns",
                                            "blink.copy.launch=0ns", "blink.kernel.launch=0ns"};

RunSpec with(RunSpec spec, const std::string& setting) {
  spec.parameters.fields().set_assignment(setting);
  return spec;
}

}  // namespace

TEST_CASE("blink: every collective is right on allocations of both machines in both modes", "[system][blink]") {
  for (const char* platform : {"dgx1p", "dgx1v"})
    for (const TreeAlgorithm& m : tree_algorithms())
      for (const std::vector<int>& gpus : {std::vector<int>{0, 1}, {0, 3, 4}, {7, 2, 6, 5, 1}}) {
        INFO(platform << " " << m.algorithm.collective << " of " << gpus.size() << " GPUs");
        RunSpec spec = spec_of(m.algorithm.collective, gpus, {4_B, 1000_B, 100_KiB}, {"blink.chunk=16KiB"});
        spec.platform = platform;
        check_modes(spec);
      }
}

TEST_CASE("blink: all eight GPUs are right in both modes", "[system][blink]") {
  for (const char* collective : {"broadcast", "gather", "allreduce", "allgather"})
    check_modes(spec_of(collective, first_gpus(8), {1000_B, 100_KiB}, {"blink.chunk=16KiB"}));
}

TEST_CASE("blink: parts of an all-gather and reduce-scatter cross trees of their own rank, or those of an all-reduce",
          "[system][blink]") {
  constexpr double links = 6 * 25.0 * 256 / 272;  // GB/s of a V100's links in one direction
  for (const char* collective : {"allgather", "reduce_scatter"}) {
    const auto of = [&](const std::string& trees) {
      return rate(spec_of(collective, first_gpus(8), {MB(128)}, {"blink.chunk=1MB", "blink.treegen.allgather=" + trees}));
    };
    INFO(collective);
    CHECK(of("directed") > 1.4 * of("undirected"));
    CHECK(of("directed") <= 8.0 / 7 * links);  // each rank receives 7/8 of the message
    CHECK(of("directed") == of("auto"));
    for (const char* trees : {"directed", "undirected"})
      check_modes(spec_of(collective, {7, 2, 6, 5, 1}, {4_B, 1000_B, 100_KiB},
                          {"blink.chunk=16KiB", "blink.treegen.allgather=" + std::string(trees)}));
  }
}

TEST_CASE("blink: every type of element and every operation is right", "[system][blink]") {
  for (const auto& [type, type_name] : EnumNames<ElementType>::names())
    for (const auto& [op, op_name] : EnumNames<ReduceOp>::names()) {
      INFO(type_name << " " << op_name);
      for (const char* collective : {"allreduce", "reduce"}) {
        RunSpec spec = spec_of(collective, {1, 4, 5, 6}, {bytes(99'992)}, {"blink.chunk=10KiB"});
        spec.jobs.front().type = type;
        spec.jobs.front().op = op;
        const Run run = run_one(spec);
        CHECK(run.row.status == Status::done);
        CHECK(run.row.wrong == 0u);
      }
    }
}

TEST_CASE("blink: GPUs that no NVLink joins communicate over PCIe", "[system][blink]") {
  for (const TreeAlgorithm& m : tree_algorithms()) {
    INFO(m.algorithm.collective);
    // The last four are two pairs with NVLinks.
    for (const auto& [gpus, pairs] : {std::pair(std::vector<int>{1, 4}, 0), {{4, 1}, 0}, {{6, 1, 3, 4}, 2}})
      for (const Run& run :
           check_modes(spec_of(m.algorithm.collective, gpus, {4_B, 1000_B, 300_KiB}, {"blink.chunk=64KiB"}))) {
        const auto over_pcie = run.row.counters.at("copied.pcie_bytes"),
                   over_nvlink = run.row.counters.at("copied.nvlink_bytes");
        CHECK(over_pcie + over_nvlink > 0);
        CHECK((over_nvlink > 0) == (pairs > 0));
        if (collective_of(m.algorithm.collective).chunking == collective::Chunking::parts) continue;
        const double passes = m.use == collective::TreeUse::allreduce ? 2 : 1;
        const auto size = static_cast<double>(run.row.size_bytes);
        CHECK(over_pcie == passes * static_cast<double>(gpus.size() - 1 - static_cast<std::size_t>(pairs)) * size);
        CHECK(over_nvlink == passes * pairs * size);
      }
  }
}

TEST_CASE("blink: a hybrid divides a message between NVLinks and PCIe", "[system][blink]") {
  for (const char* collective : {"broadcast", "reduce", "allreduce"}) {
    INFO(collective);
    RunSpec spec =
        spec_of(collective, {0, 1, 2, 3}, {4_B, bytes(1'000'000)}, {"blink.chunk=64KiB", "blink.host.peer_switch=1us"});
    for (JobSpec& job : spec.jobs) job.algorithm = "blink_hybrid";
    const std::vector<Run> runs = check_modes(spec);
    CHECK(runs[0].row.counters.at("copied.pcie_bytes") == 0);
    CHECK(runs[1].row.counters.at("copied.pcie_bytes") > 0);
    CHECK(runs[1].row.counters.at("copied.nvlink_bytes") > runs[1].row.counters.at("copied.pcie_bytes"));
  }
}

// Eq. (8) with the rates of two links and of the GPUs of a PCIe switch, and 2 x 0.45 ms of switching.
TEST_CASE("blink: both parts of a hybrid end simultaneously", "[system][blink]") {
  const auto time = [](const std::string& algorithm, const std::string& setting) {
    RunSpec spec = spec_of("broadcast", {0, 1}, {MB(400)}, {"blink.chunk=10MB", setting});
    spec.jobs.front().algorithm = algorithm;
    return run_one(without_data(spec)).row;
  };
  const double nvlink = time("blink", "blink.chunk=10MB").algbw_GBps();
  const ResultRow both =
      time("blink_hybrid", "blink.hybrid.nvlink_rate=" + std::to_string(static_cast<int>(nvlink * 1e6)) + "kB/s");
  const double pcie = 15.754 * 0.9 * 256 / 280, on_pcie = (0.4 * pcie - 0.9e-3 * pcie * nvlink) / (pcie + nvlink);  // GB
  CHECK(both.counters.at("copied.pcie_bytes") == Approx(on_pcie * 1e9).epsilon(0.001));
  // the time of each part; the later one ends the collective
  CHECK(static_cast<double>(both.time) * 1e-12 == Approx((0.4 - on_pcie) / nvlink).epsilon(0.02));
  CHECK(static_cast<double>(both.time) * 1e-12 == Approx(0.9e-3 + on_pcie / pcie).epsilon(0.02));
}

TEST_CASE("blink: several servers are right in both modes", "[system][blink]") {
  for (const char* attach : {"pcie", "ideal"})
    for (const TreeAlgorithm& m : tree_algorithms()) {
      if (m.hybrid) continue;
      INFO(attach << " " << m.algorithm.collective);
      for (const std::vector<int>& gpus : {std::vector<int>{0, 8}, {0, 1, 2, 8, 9, 10, 11, 12}, {9, 12, 1}}) {
        RunSpec spec = spec_of(m.algorithm.collective, gpus, {4_B, 100_KiB}, {"blink.chunk=16KiB"});
        spec.platform = "servers:2xdgx1v";
        for (const Run& run : check_modes(with(spec, std::string("blink.net.attach=") + attach)))
          CHECK(run.row.counters.at("copied.network_bytes") > 0);
      }
    }
}

// Each of two servers sends all of the message over its NIC: 2 (n - 1)/n of it.
TEST_CASE("blink: an all-reduce of two servers has the rate of their NICs", "[system][blink]") {
  RunSpec spec = spec_of("allreduce", {0, 1, 2, 8, 9, 10, 11, 12}, {MB(40)});
  spec.platform = "servers:2xdgx1v";
  CHECK(rate(spec) == Approx(5).epsilon(0.05));
  CHECK(rate(with(spec, "blink.net.rate=56Gb/s")) == Approx(7).epsilon(0.06));
}

TEST_CASE("blink: the size of bursts changes no time on links with one copy at a time", "[system][blink]") {
  for (const std::vector<int>& gpus : {std::vector<int>{0, 1}, {0, 3, 4}})
    for (const char* collective : {"broadcast", "allreduce"}) {
      INFO(collective << " of " << gpus.size());
      const RunSpec spec = spec_of(collective, gpus, {1000_B, bytes(1'234'564)}, {"blink.chunk=100kB"});
      const std::vector<Run> longest = run_all(spec);
      for (const int burst : {1, 2, 7, 14}) {
        const std::vector<Run> runs = run_all(with(spec, "blink.copy.burst=" + std::to_string(burst)));
        for (std::size_t i = 0; i < runs.size(); ++i) CHECK(runs[i].row.time == longest[i].row.time);
      }
    }
}

// 16 of 17 flits carry data: 25 GB/s are 23.53.
TEST_CASE("blink: a broadcast of two GPUs has the rate of their links", "[system][blink]") {
  std::vector<std::string> settings = no_overheads;
  settings.push_back("blink.chunk=10MB");
  const double link = 25.0 * 256 / 272;
  CHECK(rate(spec_of("broadcast", {0, 1}, {MB(10)}, settings)) == Approx(link).epsilon(0.001));
  CHECK(rate(spec_of("broadcast", {0, 3}, {MB(10)}, settings)) == Approx(2 * link).epsilon(0.001));
  RunSpec p100 = spec_of("broadcast", {0, 3}, {MB(10)}, settings);
  p100.platform = "dgx1p";
  CHECK(rate(p100) == Approx(20.0 * 256 / 272).epsilon(0.001));
}

// Release, launch and acquire once: 1.5 + 2.5 + 1 us, and three wires.
TEST_CASE("blink: the commands of one chunk take their configured times", "[system][blink]") {
  const Tick bare = run_one(without_data(spec_of("broadcast", {0, 1}, {100_KiB}, no_overheads))).row.time;
  const Tick all = run_one(without_data(spec_of("broadcast", {0, 1}, {100_KiB}))).row.time;
  CHECK(all - bare == 5'000'000);
}

TEST_CASE("blink: a broadcast over PCIe has the rate of the link between processors", "[system][blink]") {
  const std::vector<std::string> settings{"blink.chunk=4MB"};
  CHECK(rate(spec_of("broadcast", {1, 4}, {MB(40)}, settings)) == Approx(6).epsilon(0.01));
  CHECK(rate(spec_of("allreduce", {1, 4}, {MB(40)}, {"blink.chunk=1MB"})) == Approx(6).epsilon(0.1));
  CHECK(rate(with(spec_of("broadcast", {1, 4}, {MB(40)}, settings), "blink.pcie.socket_rate=9GB/s")) ==
        Approx(9).epsilon(0.01));
  // four TLPs of 64 B and 24 B for 256 B: 15.754 x 0.9 x 256 / 352
  const double past_processors = 15.754 * 0.9 * 256 / 352;
  CHECK(rate(with(spec_of("broadcast", {1, 4}, {MB(40)}, settings), "blink.pcie.socket_rate=50GB/s")) ==
        Approx(past_processors).epsilon(0.02));
}

// 0 to 5 and 1 to 4 share the uplink of their switch and the link between processors; each gets half.
TEST_CASE("blink: two jobs each get half of an uplink", "[system][blink]") {
  RunSpec spec = spec_of("broadcast", {1, 4}, {MB(40)}, {"blink.chunk=4MB"});
  spec.jobs.push_back(spec.jobs.front());
  spec.jobs[0].root = spec.jobs[1].root = 0;
  spec.jobs[1].ranks = {0, 5};
  for (const Run& run : run_all(without_data(spec))) CHECK(run.row.algbw_GBps() == Approx(3).epsilon(0.02));
  for (const Run& run : run_all(without_data(with(spec, "blink.pcie.socket_rate=50GB/s"))))
    CHECK(run.row.algbw_GBps() == Approx(15.754 * 0.9 * 256 / 352 / 2).epsilon(0.02));
}

TEST_CASE("blink: concurrent jobs on separate GPUs take as long as alone", "[system][blink]") {
  RunSpec spec = spec_of("allreduce", {0, 1, 2, 3}, {bytes(700'000)}, {"blink.chunk=50kB"});
  spec.jobs.push_back(spec_of("broadcast", {7, 6, 4}, {bytes(700'000)}).jobs.front());
  const std::vector<Run> both = check_modes(spec);
  REQUIRE(both.size() == 2);
  for (std::size_t j = 0; j < 2; ++j) {
    RunSpec alone = spec;
    alone.jobs = {spec.jobs[j]};
    CHECK(run_one(alone).row.time == both[j].row.time);
  }
}

// Six trees of one link each; the remainder is the cost of commands and the path of the last chunks.
TEST_CASE("blink: eight V100 broadcast at nearly the rate of six links", "[system][blink]") {
  const Run run = run_one(without_data(spec_of("broadcast", first_gpus(8), {MB(500)}, {"blink.chunk=4MB"})));
  CHECK(run.row.bound_GBps == Approx(6 * 25.0 * 256 / 272).epsilon(0.001));
  CHECK(run.row.algbw_GBps() > 0.8 * run.row.bound_GBps);
  CHECK(run.row.algbw_GBps() < run.row.bound_GBps);
}

TEST_CASE("blink: chunk sizes are tuned over iterations, separately for each size", "[system][blink]") {
  RunSpec spec = without_data(spec_of("broadcast", {0, 1, 2, 3}, {MB(50), MB(100)}));
  spec.iterations = 5;
  const std::vector<Run> runs = run_all(spec);
  REQUIRE(runs.size() == 10);
  for (std::size_t item = 0; item < 2; ++item) {
    const WorkItem& message = spec.jobs.front().items[item];
    collective::ChunkTuner tuner(collective::ChunkTuner::standard_first, message.size.value);
    for (std::size_t i = 0; i < 5; ++i) {
      RunSpec fixed = with(spec, "blink.chunk=" + to_string(bytes(tuner.chunk())));
      fixed.iterations = 0;
      fixed.jobs.front().items = {message};
      const ResultRow row = run_one(fixed).row;
      CHECK(row.time == runs[5 * item + i].row.time);
      tuner.measured(row.algbw_GBps());
    }
  }
  CHECK(runs[9].row.time <= runs[5].row.time);
}

TEST_CASE("blink: a run with a rank that never begins ends with a report", "[system][blink]") {
  RunSpec spec = spec_of("allreduce", {0, 1, 2}, {100_KiB});
  spec.jobs.front().withheld_rank = 1;
  const Run run = run_one(spec);
  CHECK(run.row.status == Status::no_progress);
  CHECK_THAT(run.row.report, Contains("gpu0") && Contains("gpu1"));
}

TEST_CASE("blink: automatic values follow the GPUs of the machine", "[system][blink]") {
  RunSpec spec = spec_of("broadcast", {0, 1}, {4_KiB});
  const auto settled = [&] { return resolve_parameters(spec).of<BlinkParams>().platform.gpu; };
  CHECK(settled().copy.engines == 6u);
  CHECK(settled().nvlink.rate == 25_GBps);
  CHECK(settled().kernel.rate == 260_GBps);
  spec.platform = "dgx1p";
  CHECK(settled().copy.engines == 5u);
  CHECK(settled().nvlink.rate == 20_GBps);
  CHECK(settled().kernel.rate == 210_GBps);
  spec.parameters.fields().set_assignment("blink.copy.engines=2");
  CHECK(settled().copy.engines == 2u);
}

}  // namespace tributary::test_blink_system
