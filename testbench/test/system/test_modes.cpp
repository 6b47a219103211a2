/// Both modes must simulate the same events: every packet starts on the same link at the same picosecond
/// (docs/timing.md).
#include <catch2/catch.hpp>

#include "modules/base/random.h"
#include "platforms/nvswitch/machine.h"
#include "platforms/nvswitch/platform_params.h"
#include "testbench/test/harness/mode_check.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_modes {
namespace {

const std::vector<std::vector<int>> rank_sets{{0, 1}, {0, 8}, {3, 5, 9}, first_gpus(8), first_gpus(16)};
const std::vector<Bytes> some_sizes{4_B, 2_KiB, 64_KiB};

void check_all_rank_sets(const std::string& algorithm, const std::vector<std::string>& settings = {}) {
  for (const std::vector<int>& gpus : rank_sets) {
    INFO(algorithm << " with " << gpus.size() << " ranks up to " << gpus.back());
    check_modes(run_spec(algorithm, gpus, some_sizes, settings));
  }
}

}  // namespace

TEST_CASE("modes: both agree on a push", "[system][engines]") { check_all_rank_sets("push"); }
TEST_CASE("modes: both agree on a pull with a barrier as an all-reduce", "[system][engines]") {
  check_all_rank_sets("pull");
}
TEST_CASE("modes: both agree on a pull with a barrier of flags", "[system][engines]") {
  check_all_rank_sets("pull", {"nvswitch.pull.barrier_kind=flags"});
}
TEST_CASE("modes: both agree on a pull without a barrier, whose waves wait for acks", "[system][engines]") {
  check_all_rank_sets("pull", {"nvswitch.pull.barrier=false", "nvswitch.pull.wave_done=ack"});
}
TEST_CASE("modes: both agree on a pull in sequential DMA requests", "[system][engines]") {
  check_all_rank_sets("pull", {"nvswitch.pull.segmentation=requests"});
  check_all_rank_sets("pull", {"nvswitch.pull.segmentation=requests", "nvswitch.gpu.dma.waves=1",
                               "nvswitch.gpu.dma.wave_bytes=256B", "nvswitch.gpu.dma.request_delay=0ns"});
}
TEST_CASE("modes: both agree on a counted ring", "[system][engines]") { check_all_rank_sets("ring"); }
TEST_CASE("modes: both agree on a fenced ring", "[system][engines]") {
  check_all_rank_sets("ring", {"nvswitch.ring.sync=fence"});
}
TEST_CASE("modes: both agree on a broadcast", "[system][engines]") { check_all_rank_sets("multicast"); }

TEST_CASE("modes: both agree on multicasts that the crossbar replicates", "[system][engines]") {
  check_all_rank_sets("multicast", {"nvswitch.switch.replication=crossbar"});
  check_modes(run_spec("push", first_gpus(16), {64_KiB},
                       {"nvswitch.switch.replication=crossbar", "nvswitch.switch.input_discipline=fifo"}));
}

TEST_CASE("modes: both agree on arbitration that takes time", "[system][engines]") {
  for (const char* time : {"1ps", "640ps", "10ns"})
    for (const char* discipline : {"nvswitch.switch.input_discipline=fifo", "nvswitch.switch.input_discipline=voq"})
      for (const char* algorithm : {"push", "pull"}) {
        INFO(algorithm << " " << time << " " << discipline);
        check_modes(run_spec(algorithm, first_gpus(16), {16_KiB},
                             {std::string("nvswitch.switch.crossbar.arbitration=") + time, discipline}));
      }
}

TEST_CASE("modes: both agree on a larger message of each algorithm", "[system][engines]") {
  for (const char* algorithm : {"push", "pull", "ring"}) {
    INFO(algorithm);
    check_modes(without_data(run_spec(algorithm, first_gpus(16), {512_KiB})));
  }
}

TEST_CASE("modes: both agree on tables that overflow", "[system][engines]") {
  const std::vector<Bytes> sizes{128_KiB};
  for (const char* setting : {"nvswitch.switch.reduction_table.bytes=128B", "nvswitch.switch.reduction_table.timeout=50ns",
                              "nvswitch.fabric.hash=random"}) {
    INFO(setting);
    const std::vector<Run> runs = check_modes(run_spec("push", first_gpus(16), sizes, {setting}));
    CHECK(runs.front().row.counters.at("switch.evictions") > 0);
  }
  check_modes(
      run_spec("push", first_gpus(16), sizes, {"nvswitch.gpu.dma.waves=0", "nvswitch.gpu.dma.issue_order=shuffled:4096"}));
  const auto pull = check_modes(run_spec("pull", first_gpus(16), sizes, {"nvswitch.switch.reduction_table.bytes=128B"}));
  CHECK(pull.front().row.counters.at("switch.stalls") > 0);
}

TEST_CASE("modes: both agree on back-pressure", "[system][engines]") {
  const std::vector<std::string> tight{"nvswitch.switch.input_buffer=144B",  "nvswitch.switch.output_queue=144B",
                                       "nvswitch.switch.table_queue=144B",   "nvswitch.switch.replication_buffer.bytes=144B",
                                       "nvswitch.switch.crossbar.speedup=1", "nvswitch.gpu.dma.tx_queue=1"};
  for (const char* algorithm : {"push", "pull", "ring", "multicast"})
    for (const char* discipline : {"nvswitch.switch.input_discipline=fifo", "nvswitch.switch.input_discipline=voq"}) {
      INFO(algorithm << " " << discipline);
      std::vector<std::string> settings = tight;
      settings.push_back(discipline);
      check_modes(run_spec(algorithm, first_gpus(16), {32_KiB}, settings));
    }
}

TEST_CASE("modes: both agree on one FIFO per input", "[system][engines]") {
  for (const char* algorithm : {"push", "pull", "ring"}) {
    INFO(algorithm);
    check_modes(run_spec(algorithm, first_gpus(16), {128_KiB}, {"nvswitch.switch.input_discipline=fifo"}));
  }
}

namespace {

/// The i-th machine of a reproducible random series: small buffers, tables and waves, odd latencies and sizes.
class RandomMachine {
 public:
  explicit RandomMachine(std::uint64_t i) : i_(i) {}

  RunSpec spec() {
    const std::string algorithm = choose({"push", "push", "push", "pull", "pull", "ring", "multicast"});
    RunSpec s = run_spec(algorithm, gpus(), sizes(), settings());
    s.jobs[0].type = below(3) == 0 ? ElementType::i32 : ElementType::f32;
    s.data = below(3) == 0 ? DataMode::random : DataMode::exact;
    s.seed = 1 + below(1000);
    s.jobs[0].root = s.jobs[0].collective == "broadcast" ? static_cast<int>(below(s.jobs[0].ranks.size())) : 0;
    return s;
  }

 private:
  std::uint64_t below(std::uint64_t n) { return tributary::below(random_at(2020, i_, draw_++), n); }
  std::string choose(const std::vector<std::string>& from) { return from[below(from.size())]; }

  std::vector<int> gpus() {
    std::vector<int> chosen;
    const std::uint64_t share = 2 + below(6);
    for (int g = 0; g < 16; ++g)
      if (g < 1 || g == 15 || below(8) < share) chosen.push_back(g);
    return chosen;
  }
  std::vector<Bytes> sizes() {
    std::vector<Bytes> s;
    for (int i = 0; i < 3; ++i) s.push_back(bytes(4 + 4 * below(i == 0 ? 64 : 6000)));
    return s;
  }
  std::vector<std::string> settings() {
    return {
        choose({"nvswitch.switch.reduction_table.bytes=128B", "nvswitch.switch.reduction_table.bytes=256B",
                "nvswitch.switch.reduction_table.bytes=1KiB"}),
        choose({"nvswitch.switch.reduction_table.timeout=50ns", "nvswitch.switch.reduction_table.timeout=300ns",
                "nvswitch.switch.reduction_table.timeout=2us"}),
        choose({"nvswitch.fabric.hash=interleave", "nvswitch.fabric.hash=random"}),
        choose({"nvswitch.gpu.dma.waves=0", "nvswitch.gpu.dma.waves=1", "nvswitch.gpu.dma.waves=2",
                "nvswitch.gpu.dma.waves=16"}),
        choose({"nvswitch.gpu.dma.wave_bytes=128B", "nvswitch.gpu.dma.wave_bytes=1KiB", "nvswitch.gpu.dma.wave_bytes=8KiB"}),
        choose({"nvswitch.gpu.dma.issue_order=linear", "nvswitch.gpu.dma.issue_order=shuffled:7",
                "nvswitch.gpu.dma.issue_order=shuffled:4096"}),
        choose({"nvswitch.gpu.dma.tx_queue=1", "nvswitch.gpu.dma.tx_queue=3", "nvswitch.gpu.dma.tx_queue=64"}),
        choose({"nvswitch.gpu.memory.jitter=0ns", "nvswitch.gpu.memory.jitter=115.2ns", "nvswitch.gpu.memory.jitter=1us"}),
        choose({"nvswitch.gpu.memory.latency=0ns", "nvswitch.gpu.memory.latency=115.2ns"}),
        choose({"nvswitch.switch.input_discipline=fifo", "nvswitch.switch.input_discipline=voq"}),
        choose({"nvswitch.switch.input_buffer=144B", "nvswitch.switch.input_buffer=300B",
                "nvswitch.switch.input_buffer=4KiB", "nvswitch.switch.input_buffer=auto"}),
        choose(
            {"nvswitch.switch.output_queue=144B", "nvswitch.switch.output_queue=1KiB", "nvswitch.switch.output_queue=auto"}),
        choose({"nvswitch.switch.table_queue=144B", "nvswitch.switch.table_queue=576B", "nvswitch.switch.table_queue=auto"}),
        choose({"nvswitch.switch.replication_buffer.bytes=144B", "nvswitch.switch.replication_buffer.bytes=300B",
                "nvswitch.switch.replication_buffer.bytes=4608B"}),
        choose({"nvswitch.switch.crossbar.speedup=1", "nvswitch.switch.crossbar.speedup=1.3",
                "nvswitch.switch.crossbar.speedup=2"}),
        choose({"nvswitch.switch.latency=1ns", "nvswitch.switch.latency=33.333ns", "nvswitch.switch.latency=150ns"}),
        choose({"nvswitch.link.latency=1ns", "nvswitch.link.latency=7.777ns", "nvswitch.link.latency=20ns"}),
        choose({"nvswitch.link.rate=25GB/s", "nvswitch.link.rate=7GB/s", "nvswitch.link.rate=100GB/s"}),
        choose({"nvswitch.acks=separate", "nvswitch.acks=separate", "nvswitch.acks=none"}),
        choose({"nvswitch.pull.barrier=false", "nvswitch.pull.barrier=true"}),
        choose({"nvswitch.pull.barrier_kind=allreduce", "nvswitch.pull.barrier_kind=flags"}),
        choose({"nvswitch.pull.wave_scope=per_gpu", "nvswitch.pull.wave_scope=global"}),
        choose({"nvswitch.switch.replication=ingress", "nvswitch.switch.replication=crossbar"})};
  }

  std::uint64_t i_, draw_ = 0;
};

}  // namespace

TEST_CASE("modes: both agree on random machines", "[system][engines]") {
  for (std::uint64_t i = 0; i < 40; ++i) {
    RunSpec spec = RandomMachine(i).spec();
    INFO("machine " << i << ": " << spec.jobs[0].algorithm << ", " << spec.jobs[0].ranks.size() << " ranks");
    check_modes(spec);
  }
}

TEST_CASE("modes: both agree on random machines with errors on their links", "[system][engines][llr]") {
  const std::vector<std::string> links = link_names(machine("dgx2").graph);
  for (std::uint64_t i = 40; i < 64; ++i) {
    RunSpec spec = RandomMachine(i).spec();
    spec.parameters.of<NvSwitchPlatformParams>().link.bit_error_rate = i % 4 == 0   ? 0
                                                                       : i % 4 == 1 ? 1e-6
                                                                       : i % 4 == 2 ? 3e-5
                                                                                    : 5e-4;
    if (i % 3 == 0) spec.parameters.of<NvSwitchPlatformParams>().link.replay_buffer = i % 6 == 0 ? 144_B : 500_B;
    for (std::uint64_t f = 0; f < 60; ++f) {
      const std::uint64_t draw = random_at(2021, i, f);
      spec.faults.push_back(
          {f % 2 == 0 ? LinkFault::Kind::corrupt : LinkFault::Kind::duplicate, links[below(draw, 288)], draw % 20, {}});
    }
    INFO("machine " << i << ": " << spec.jobs[0].algorithm << ", " << spec.jobs[0].ranks.size() << " ranks");
    check_modes(spec);
  }
}

TEST_CASE("modes: a run that gets stuck is stuck at the same point", "[system][engines]") {
  // A memory is slower than the watchdog; a wave counter that is not free is an error to the host.
  const auto alike = [](Status status, const RunSpec& spec) {
    const std::vector<Run> windowed = run_all(with_hashes(spec, SimulationMode::windowed));
    const std::vector<Run> event = run_all(with_hashes(spec, SimulationMode::event));
    REQUIRE((windowed.size() == 1 && event.size() == 1));
    CHECK(windowed[0].row.status == status);
    CHECK(event[0].row.status == status);
    CHECK(windowed[0].hashes.trajectory == event[0].hashes.trajectory);
    CHECK(windowed[0].row.wire_bytes == event[0].row.wire_bytes);
    return windowed[0].row.report == event[0].row.report;
  };
  CHECK(alike(Status::no_progress,
              run_spec("pull", first_gpus(16), {64_KiB}, {"watchdog.window=1us", "nvswitch.gpu.memory.latency=1200ns"})));
  CHECK(alike(Status::gave_up, run_spec("pull", first_gpus(16), {64_KiB},
                                        {"nvswitch.pull.barrier_kind=flags", "nvswitch.gpu.dma.waves=1",
                                         "nvswitch.gpu.dma.retry_delay=1ns", "nvswitch.gpu.dma.retry_limit=1"})));
}

// Windows show the links of a device one after another, so copies of a packet are not seen in order of time.
TEST_CASE("modes: both agree on the latency of packets without their queue on every platform", "[system][engines]") {
  const std::vector<std::vector<std::string>> platforms{{"dgx2", "push", "16"},
                                                        {"dgx2", "pull", "16"},
                                                        {"dgx2", "ring", "5"},
                                                        {"fat_tree:64", "push", "64"},
                                                        {"torus:4x4", "multitree", "16"},
                                                        {"mesh:2x3", "ring", "6"},
                                                        {"rack:4", "netreduce", "4"},
                                                        {"spine_leaf:2x2", "ring", "4"},
                                                        {"tofino:4", "atp", "4"},
                                                        {"tofino:4", "switchml", "4"},
                                                        {"dgx1v", "nccl", "8"}};
  for (const std::vector<std::string>& p : platforms) {
    INFO(p[0] << " " << p[1]);
    RunSpec spec = run_spec(p[1], first_gpus(std::stoi(p[2])), {128_B, 16_KiB});
    spec.platform = p[0];
    spec.wire_latency = true;
    const std::vector<Run> runs = check_modes(spec);
    if (p[0] != "dgx1v") CHECK(runs.front().row.counters.at("wire_latency_ns.mean") > 0);
  }
}

}  // namespace tributary::test_modes
