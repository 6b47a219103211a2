// The critical path of software schedules on GPUs around NVSwitches, by parameter.
#include <catch2/catch.hpp>
#include <numeric>

#include "testbench/family/nvswitch/algorithms.h"
#include "testbench/family/nvswitch/schedule_path.h"

namespace tributary::test_schedule_path {
namespace {

JobSpec job_of(const char* algorithm, int ranks) {
  JobSpec job;
  job.algorithm = algorithm;
  job.ranks.resize(static_cast<std::size_t>(ranks));
  std::iota(job.ranks.begin(), job.ranks.end(), 0);
  return job;
}

double part(const std::vector<PathPart>& parts, const std::string& parameter) {
  for (const PathPart& p : parts)
    if (p.parameter == parameter) return p.time;
  return -1;
}

std::vector<PathPart> path_of(const char* algorithm, int ranks, Bytes message, const NvSwitchPlatformParams& params) {
  const JobSpec job = job_of(algorithm, ranks);
  const Machine& dgx2 = machine("dgx2");
  return schedule_path(schedule_of(nvswitch_algorithm(job), job, message, dgx2), job.ranks, dgx2, params);
}

constexpr double ns = 1e3;

}  // namespace

TEST_CASE("the path of a ring has 14 steps of two links, one switch and two reads", "[pure][bottleneck]") {
  NvSwitchPlatformParams params;  // docs/blocks/command_executor.md: a ring of 8 on one board, with one block per step
  params.gpu.memory.jitter = 0_ns;
  const std::vector<PathPart> parts = path_of("ring", 8, 1_KiB, params);
  CHECK(part(parts, "nvswitch.switch.latency") == Approx(14 * 150 * ns));
  CHECK(part(parts, "nvswitch.link.latency") == Approx(14 * 2 * 20 * ns));
  CHECK(part(parts, "nvswitch.gpu.memory.latency") == Approx(14 * 2 * 115.2 * ns));
  CHECK(part(parts, "nvswitch.gpu.memory.jitter") == 0);
  // 144 B of data and 16 B of acks over six links of 25 GB/s, then two flits and a packet of 9 over one link
  CHECK(part(parts, "nvswitch.link.rate") == Approx(14 * (160 / 150.0 + 176 / 25.0) * ns));
}

TEST_CASE("the longest of n reads has n of n + 1 parts of the jitter, and a poll half of it", "[pure][bottleneck]") {
  NvSwitchPlatformParams params;
  params.gpu.memory.jitter = 100_ns;
  const auto jitter = [&](Bytes message) { return part(path_of("ring", 8, message, params), "nvswitch.gpu.memory.jitter"); };
  CHECK(jitter(1_KiB) == Approx(14 * (50 + 50) * ns));  // one block per step
  CHECK(jitter(3_KiB) == Approx(14 * (75 + 50) * ns));  // three blocks
}

TEST_CASE("the slowest of messages that wait for no other one has all of the jitter", "[pure][bottleneck]") {
  NvSwitchPlatformParams params;
  params.gpu.memory.jitter = 100_ns;
  JobSpec job = job_of("direct", 16);
  job.collective = "alltoall";
  const Machine dgx2 = machine("dgx2");
  const auto parts = schedule_path(schedule_of(nvswitch_algorithm(job), job, 1_KiB, dgx2), job.ranks, dgx2, params);
  CHECK(part(parts, "nvswitch.gpu.memory.jitter") == Approx(2 * 100 * ns));  // a read and a poll
  CHECK(part(parts, "nvswitch.switch.latency") == Approx(2 * 150 * ns));     // to the other board
  CHECK(part(parts, "nvswitch.link.latency") == Approx(3 * 20 * ns));
}

TEST_CASE("a star moves the whole message of all ranks into its root and out of it", "[pure][bottleneck]") {
  NvSwitchPlatformParams params;
  params.gpu.memory.jitter = 0_ns;
  const double transfers = part(path_of("star", 8, 1_MiB, params), "nvswitch.link.rate");
  // 7 messages of 8192 blocks of 144 B each way at 150 GB/s, and acks of 16 B of the other direction
  const double one_way = 7 * 8192 * 144 / 150.0 * ns;
  CHECK(transfers > 2 * one_way);
  CHECK(transfers < 2.3 * one_way);
}

TEST_CASE("a fence crosses the route three times", "[pure][bottleneck]") {
  NvSwitchPlatformParams params;
  params.ring.sync = RingSync::fence;
  CHECK(part(path_of("ring", 8, 1_KiB, params), "nvswitch.switch.latency") == Approx(3 * 14 * 150 * ns));
}

}  // namespace tributary::test_schedule_path
