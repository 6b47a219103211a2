// The initiators of block requests, how a response finds its counter, and the accesses to memory
// (docs/systems/klenk.md#cores).
#include <catch2/catch.hpp>

#include "testbench/test/harness/forked_run.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_initiators {
namespace {

ResultRow run_right(const std::string& algorithm, Bytes size, const std::vector<std::string>& settings = {}) {
  const ResultRow row = run_one(run_spec(algorithm, first_gpus(16), {size}, settings)).row;
  INFO(algorithm << " " << row.report);
  CHECK(row.status == Status::done);
  CHECK(row.wrong == 0);
  return row;
}

double accesses(const ResultRow& row) { return row.counters.at("gpu.memory_reads") + row.counters.at("gpu.memory_writes"); }

}  // namespace

TEST_CASE("cores: many small requests in arbitrary order give right sums by push and pull", "[system][cores]") {
  const ResultRow push = run_right("push", 256_KiB, {"nvswitch.gpu.initiator=cores"});
  CHECK(push.counters.at("switch.evictions") > 0);  // two entries are too few for an arbitrary order
  run_right("push", 4_B, {"nvswitch.gpu.initiator=cores", "nvswitch.switch.reduction_table.eviction=multicast"});
  const ResultRow pull = run_right("pull", 256_KiB, {"nvswitch.gpu.initiator=cores"});
  CHECK(pull.counters.at("switch.evictions") == 0);
  run_right("pull", 100000_B,
            {"nvswitch.gpu.initiator=cores", "nvswitch.gpu.cores.outstanding=1", "nvswitch.pull.barrier_kind=flags"});
}

TEST_CASE("cores: the flag that a core polls is visible a memory read after the result", "[system][cores]") {
  const std::vector<std::string> cores{"nvswitch.gpu.initiator=cores", "nvswitch.gpu.memory.jitter=0ns"};
  const ResultRow dma = run_right("push", 128_B, {"nvswitch.gpu.memory.jitter=0ns"});
  const ResultRow core = run_right("push", 128_B, cores);
  CHECK(core.time == dma.time + 115'200);
}

TEST_CASE("cores: outstanding requests limit the rate", "[system][cores]") {
  // A pull keeps N blocks of 128 B outstanding at each GPU, for a round trip of a microsecond or so each.
  const ResultRow few = run_right(
      "pull", 256_KiB, {"nvswitch.gpu.initiator=cores", "nvswitch.gpu.cores.outstanding=8", "nvswitch.pull.barrier=false"});
  const ResultRow many = run_right(
      "pull", 256_KiB, {"nvswitch.gpu.initiator=cores", "nvswitch.gpu.cores.outstanding=16", "nvswitch.pull.barrier=false"});
  const double ratio = static_cast<double>(few.time) / static_cast<double>(many.time);
  CHECK(ratio > 1.6);
  CHECK(ratio < 2.1);
}

TEST_CASE("cores: in-network reductions access memory at most half as often as the software ring", "[system][cores]") {
  const Bytes size = 512_KiB;
  const double blocks = 4096.0 * 16;
  const double ring = accesses(run_right("ring", size));
  // Per block and rank: 15/16 of (write a mailbox, read it, read the own chunk), then 15/16 of (write, read to
  // forward).
  CHECK(ring / blocks > 4.0);
  const ResultRow push = run_right("push", size, {"nvswitch.switch.reduction_table.bytes=4KiB"});
  CHECK(push.counters.at("gpu.memory_reads") == blocks);   // the operand
  CHECK(push.counters.at("gpu.memory_writes") == blocks);  // the result
  const ResultRow pull = run_right("pull", size, {"nvswitch.pull.barrier=false"});
  CHECK(accesses(pull) == 2 * blocks);
  for (const char* algorithm : {"push", "pull"})
    for (const char* initiator : {"dma", "cores"}) {
      INFO(algorithm << " " << initiator);
      // A push by cores adds a poll and, in arbitrary order, partial sums.
      const double most = std::string(initiator) == "dma" || std::string(algorithm) == "pull" ? 0.5 : 1.0;
      CHECK(accesses(run_right(algorithm, size,
                               {std::string("nvswitch.gpu.initiator=") + initiator,
                                "nvswitch.switch.reduction_table.bytes=8KiB"})) <= most * ring);
    }
}

TEST_CASE("dma: responses find their wave counter by its number as well as by address", "[system][dma]") {
  for (const char* algorithm : {"push", "pull"})
    for (const char* more : {"nvswitch.gpu.dma.wave_bytes=1KiB", "nvswitch.gpu.dma.waves=3", "nvswitch.acks=merged",
                             "nvswitch.pull.wave_done=ack", "nvswitch.switch.reduction_table.timeout=300ns",
                             "nvswitch.gpu.dma.issue_order=shuffled:32"})
      run_right(algorithm, 200000_B, {"nvswitch.gpu.dma.counter_lookup=id", more});
  CHECK(run_right("push", 1_MiB).time == run_right("push", 1_MiB, {"nvswitch.gpu.dma.counter_lookup=address"}).time);
  CHECK_THROWS_WITH(run_one(run_spec("push", first_gpus(4), {1_KiB},
                                     {"nvswitch.gpu.dma.counter_lookup=id", "nvswitch.gpu.dma.waves=257"})),
                    Catch::Matchers::Contains("at most 256"));
}

TEST_CASE("dma: a pull in separate sequential DMA requests is right and waits for each", "[system][dma]") {
  const std::vector<std::string> requests{"nvswitch.pull.segmentation=requests", "nvswitch.pull.barrier=false"};
  const ResultRow sequential = run_right("pull", 2_MiB, requests);
  const ResultRow waves = run_right("pull", 2_MiB, {"nvswitch.pull.barrier=false"});
  // 128 KiB for each GPU: four requests of 32 KiB, three gaps of a round trip and 172.8 ns.
  CHECK(sequential.time > waves.time + 3 * 172'800);
  const ResultRow slow = run_right("pull", 2_MiB, {requests[0], requests[1], "nvswitch.gpu.dma.request_delay=10us"});
  CHECK(slow.time > sequential.time + 3 * 9'000'000);
  CHECK(slow.time < sequential.time + 3 * 10'500'000);
  run_right("pull", 100000_B,
            {"nvswitch.pull.segmentation=requests", "nvswitch.pull.barrier_kind=flags", "nvswitch.pull.wave_done=ack"});
}

TEST_CASE("dma: nvswitch.pull.segmentation affects pulls alone", "[system][dma]") {
  const auto time_of = [](const char* collective, const char* algorithm, int gpus, const char* segmentation) {
    RunSpec spec = collective_spec(collective, algorithm, first_gpus(gpus), {256_KiB},
                                   {std::string("nvswitch.pull.segmentation=") + segmentation});
    const ResultRow row = run_one(spec).row;
    INFO(collective << " " << algorithm << ": " << row.report);
    CHECK(row.status == Status::done);
    CHECK(row.wrong == 0u);
    return row.time;
  };
  for (const int gpus : {2, 16}) {
    CHECK(time_of("allreduce", "push", gpus, "requests") == time_of("allreduce", "push", gpus, "waves"));
    CHECK(time_of("reduce", "push", gpus, "requests") == time_of("reduce", "push", gpus, "waves"));
    CHECK(time_of("broadcast", "multicast", gpus, "requests") == time_of("broadcast", "multicast", gpus, "waves"));
  }
  CHECK(time_of("allreduce", "pull", 2, "requests") > time_of("allreduce", "pull", 2, "waves"));
}

}  // namespace tributary::test_initiators
