/// Every collective by every algorithm: data right, bounds kept, the same in both modes, alone and within a sweep.
#include <catch2/catch.hpp>
#include <cstring>

#include "testbench/family/nvswitch/algorithms.h"
#include "testbench/test/harness/forked_run.h"
#include "testbench/test/harness/run_specs.h"
#include "testbench/test/harness/session_parts.h"
#include "testbench/workload/reference_data.h"

namespace tributary::test_every_collective {

using Catch::Matchers::Contains;

namespace {

const std::vector<std::vector<int>> rank_sets{{0, 1}, {3, 5, 9}, {15, 1, 7, 8, 2}, first_gpus(16)};
const std::vector<Bytes> sizes{4_B, 8_B, 124_B, 132_B, 1000_B, 2_KiB, 100000_B};

/// Algorithms that need all GPUs of a platform are excluded: see test_gpu_schedules.cpp. So are sends of NCCL, which 2.4
/// does not have: see test_nccl_p2p.cpp.
bool runs_anywhere(const NvSwitchAlgorithm& algorithm) {
  const std::string name = algorithm.name, collective = algorithm.collective;
  return name != "hdrm" && (name != "nccl" || (collective != "alltoall" && collective != "sendrecv"));
}

/// Calls use(collective, algorithm, sizes) for all algorithms; a barrier has sizes of its own.
template <class Use>
void for_all(const std::vector<Bytes>& messages, Use&& use) {
  for (const NvSwitchAlgorithm& algorithm : nvswitch_algorithms()) {
    if (!runs_anywhere(algorithm)) continue;
    INFO(algorithm.collective << " " << algorithm.name);
    const bool signals = collective_of(algorithm.collective).signals();
    use(algorithm.collective, algorithm.name, signals ? std::vector<Bytes>{4_B, 36_B, 128_B, 4_B} : messages);
  }
}

void check_right(const RunSpec& spec) {
  INFO(spec.jobs[0].ranks.size() << " ranks up to " << spec.jobs[0].ranks.back());
  for (const Run& run : run_all(spec)) {
    INFO(run.row.size_bytes << " B: " << run.row.report);
    CHECK(run.row.status == Status::done);
    CHECK(run.row.wrong == 0);
    CHECK(run.row.algbw_GBps() <= run.row.bound_GBps);
  }
}

void check_with(const std::vector<std::string>& settings, const std::vector<int>& gpus, const std::vector<Bytes>& messages) {
  for_all(messages, [&](const std::string& collective, const std::string& algorithm, const std::vector<Bytes>& mine) {
    check_right(collective_spec(collective, algorithm, gpus, mine, settings));
  });
}

}  // namespace

TEST_CASE("every collective: all sizes are right on arbitrary ranks", "[system][collectives]") {
  for (const std::vector<int>& gpus : rank_sets) check_with({}, gpus, sizes);
}

TEST_CASE("every collective: any number of ranks is right", "[system][collectives]") {
  for (const int n : {3, 4, 6, 7, 13}) check_with({}, first_gpus(n), {20004_B});
}

TEST_CASE("every collective: every root is right", "[system][collectives]") {
  for (const char* collective : {"broadcast", "multicast", "reduce", "gather"})
    for (const NvSwitchAlgorithm& algorithm : nvswitch_algorithms())
      for (int root = 0; root < 5 && algorithm.collective == std::string(collective); ++root) {
        INFO(collective << " " << algorithm.name << " root " << root);
        RunSpec spec = collective_spec(collective, algorithm.name, {1, 4, 8, 9, 14}, {132_B, 20000_B});
        spec.jobs[0].root = root;
        check_right(spec);
      }
}

TEST_CASE("every collective: all element types are right, with exact and random values", "[system][collectives]") {
  for (const ElementType type : {ElementType::f16, ElementType::i32})
    for (const DataMode mode : {DataMode::exact, DataMode::random})
      for_all({132_B, 20000_B},
              [&](const std::string& collective, const std::string& algorithm, const std::vector<Bytes>& messages) {
                RunSpec spec = collective_spec(collective, algorithm, {3, 5, 9, 12, 13}, messages);
                spec.jobs[0].type = type;
                spec.data = mode;
                check_right(spec);
              });
}

TEST_CASE("every collective: small queues and tables give right data", "[system][collectives]") {
  check_with({"nvswitch.switch.input_buffer=144B", "nvswitch.switch.output_queue=144B", "nvswitch.switch.table_queue=144B",
              "nvswitch.switch.replication_buffer.bytes=144B", "nvswitch.gpu.dma.tx_queue=1",
              "nvswitch.switch.reduction_table.bytes=128B"},
             first_gpus(16), {20000_B});
}

TEST_CASE("every collective: other protocols give right data", "[system][collectives]") {
  const std::vector<int> gpus{0, 2, 7, 8, 11, 15};
  check_with({"nvswitch.acks=none"}, gpus, {20000_B});
  check_with({"nvswitch.ring.sync=fence", "nvswitch.pull.wave_done=ack"}, gpus, {20000_B});
  check_with({"nvswitch.pull.barrier=false", "nvswitch.gpu.dma.waves=0"}, gpus, {20000_B});
  check_with({"nvswitch.pull.barrier_kind=flags", "nvswitch.pull.wave_scope=global", "nvswitch.fabric.hash=random"}, gpus,
             {20000_B});
}

TEST_CASE("every collective: both modes agree", "[system][collectives]") {
  for_all({20004_B}, [&](const std::string& collective, const std::string& algorithm, const std::vector<Bytes>& messages) {
    const RunSpec spec = collective_spec(collective, algorithm, {0, 3, 4, 8, 9, 12, 15}, messages);
    CHECK(difference(run_all(with_hashes(spec)), run_all(with_hashes(spec, SimulationMode::event))) == "");
  });
}

TEST_CASE("every collective: a size gives the same row alone and within a sweep", "[system][collectives]") {
  for_all({20004_B, 4_B, 3000_B, 20004_B},
          [&](const std::string& collective, const std::string& algorithm, const std::vector<Bytes>& messages) {
            const RunSpec spec = with_hashes(collective_spec(collective, algorithm, {0, 3, 4, 8, 9, 12, 15}, messages));
            const std::vector<Run> sweep = run_all(spec);
            CHECK(difference(sweep.front(), sweep.back()) == "");
            RunSpec alone = spec;
            alone.jobs[0].items = {spec.jobs[0].items[1]};
            CHECK(difference(run_one(alone), sweep[1]) == "");
            std::vector<Run> blind = run_all(without_data(spec));  // data do not change a picosecond either
            for (Run& run : blind) run.row.wrong = 0;
            CHECK(difference(sweep, blind) == "");
          });
}

TEST_CASE("every collective: a barrier holds all ranks until the last one arrives", "[system][collectives]") {
  for (const char* algorithm : {"push", "pull", "multicast", "dissemination"}) {
    INFO(algorithm);
    RunSpec spec =
        collective_spec("barrier", algorithm, first_gpus(16), {4_B}, {"nvswitch.switch.reduction_table.timeout=1s"});
    spec.jobs[0].withheld_rank = 5;
    const ResultRow row = run_one(spec).row;
    CHECK(row.status == Status::no_progress);
    CHECK_THAT(row.report, Contains("16 ranks are not done"));
  }
}

TEST_CASE("every collective: the hardware makes some collectives faster at small sizes", "[system][collectives]") {
  const auto time = [](const char* collective, const char* algorithm, Bytes size) {
    const ResultRow row = run_one(without_data(collective_spec(collective, algorithm, first_gpus(16), {size}))).row;
    REQUIRE(row.status == Status::done);
    return row.time;
  };
  // One multicast against a pipeline of 15 hops, or 15 steps of a ring.
  CHECK(10 * time("broadcast", "multicast", 128_B) < time("broadcast", "ring", 128_B));
  CHECK(10 * time("allgather", "multicast", 2_KiB) < time("allgather", "ring", 2_KiB));
  // One round trip against four rounds.
  CHECK(2 * time("barrier", "push", 4_B) < time("barrier", "dissemination", 4_B));
  // log2 p steps instead of p - 1.
  CHECK(2 * time("allreduce", "double_binary_tree", 128_B) < time("allreduce", "ring", 128_B));
  CHECK(2 * time("allreduce", "halving_doubling", 128_B) < time("allreduce", "ring", 128_B));
  CHECK(2 * time("reduce", "double_binary_tree", 128_B) < time("reduce", "ring", 128_B));
}

TEST_CASE("every collective: a reduce by push keeps its ranks together", "[system][collectives]") {
  // Every rank but the root receives one block in 64; tables of 4 blocks evict nothing, and the root's acks set the
  // pace.
  const ResultRow row = run_one(without_data(collective_spec("reduce", "push", first_gpus(16), {2_MiB},
                                                             {"nvswitch.switch.reduction_table.bytes=512B"})))
                            .row;
  CHECK(row.counters.at("switch.evictions") == 0);
  CHECK(row.algbw_GBps() > 0.9 * 120);
  // With one block per table nearly every block is evicted, and the root adds it.
  const ResultRow tiny =
      run_one(collective_spec("reduce", "push", first_gpus(16), {256_KiB}, {"nvswitch.switch.reduction_table.bytes=128B"}))
          .row;
  CHECK(tiny.wrong == 0);
  CHECK(tiny.counters.at("switch.evictions") > 0);
  CHECK(tiny.counters.at("gpu.home_results") + tiny.counters.at("switch.completions") == 2048);
}

TEST_CASE("every collective: bus bandwidths are those of nccl-tests", "[system][collectives]") {
  for_all({2_KiB}, [&](const std::string& collective, const std::string& algorithm, const std::vector<Bytes>& messages) {
    const ResultRow row = run_all(without_data(collective_spec(collective, algorithm, first_gpus(8), messages))).front().row;
    const bool parts =
        collective == "allgather" || collective == "gather" || collective == "reduce_scatter" || collective == "alltoall";
    CHECK(row.bus_factor == Approx(collective == "allreduce" ? 1.75 : parts ? 0.875 : 1.0));
  });
}

TEST_CASE("every collective: all-to-all, send/receive and reduce-scatter are right element by element",
          "[system][collectives]") {
  // The oracle reads addresses worked out by hand. 5 ranks and 2000 B make parts of 100 f32 elements; a part begins
  // every four blocks (512 B), and the data received in an all-to-all follow the five parts that it sends, at 2560. In a
  // send/receive they follow the 16 blocks of the message, at 2048.
  const std::vector<int> gpus{2, 3, 9, 10, 14};
  const auto operand = [](int rank) {
    std::vector<float> values(500);
    workload::fill(values.data(), 2000, {ElementType::f32, workload::Values::exact, 1}, rank);
    return values;
  };
  const auto memory = [&](Session& session, int rank, std::size_t address) {
    const auto gpu = static_cast<unsigned>(gpus[static_cast<std::size_t>(rank)]);
    return reinterpret_cast<const float*>(nvswitch_of(session).gpu(gpu).memory().data() + address);
  };
  CHECK(in_child([&] {
          Session session(collective_spec("alltoall", "direct", gpus, {2000_B}));
          session.run(0);
          for (int i = 0; i < 5; ++i)
            for (int j = 0; j < 5; ++j) {
              const auto at = static_cast<std::size_t>(512 * i + (i == j ? 0 : 2560));
              const auto first = static_cast<std::size_t>((i + j) % 5 * 100);
              if (std::memcmp(memory(session, j, at), operand(i).data() + first, 400) != 0)
                return "part of " + std::to_string(i) + " at " + std::to_string(j);
            }
          return std::string("right");
        }) == "right");
  CHECK(in_child([&] {
          Session session(collective_spec("sendrecv", "direct", gpus, {2000_B}));
          session.run(0);
          for (int r = 0; r < 5; ++r)
            if (std::memcmp(memory(session, (r + 1) % 5, 2048), operand(r).data(), 2000) != 0 ||
                std::memcmp(memory(session, r, 0), operand(r).data(), 2000) != 0)
              return "message of " + std::to_string(r);
          return std::string("right");
        }) == "right");
  for (const char* algorithm : {"pull", "ring"})
    CHECK(in_child([&] {
            Session session(collective_spec("reduce_scatter", algorithm, gpus, {2000_B}));
            session.run(0);
            for (std::size_t r = 0; r < 5; ++r)
              for (std::size_t e = 0; e < 100; ++e) {
                float sum = 0;
                for (int q = 0; q < 5; ++q) sum += operand(q)[100 * r + e];
                if (memory(session, static_cast<int>(r), 512 * r)[e] != sum) return "rank " + std::to_string(r);
              }
            return std::string("right");
          }) == "right");
}

}  // namespace tributary::test_every_collective
