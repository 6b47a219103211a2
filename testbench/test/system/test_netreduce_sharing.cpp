/// Jobs that share the slots of an accelerator in time (docs/systems/netreduce.md#admission).
#include <catch2/catch.hpp>

#include "testbench/test/harness/mode_check.h"
#include "testbench/test/harness/netreduce_runs.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_netreduce_sharing {
namespace {

// Slots of a ring of three ranks with messages of eight packets, N = 2: 32 slots of 3 x 1024 B of payload, 3 x 70 B of
// headers, 33 + 2 x 3 bits of state, 1024 B of sum.
constexpr std::uint64_t ring_bytes = 32 * (3 * 1024 + 3 * 70 + 1024) + (32 * 39 + 7) / 8;

/// Two jobs on rack:6, of hosts 0 to 2 and 3 to 5, and an accelerator with that memory.
RunSpec two_jobs(std::uint64_t memory, const std::vector<std::string>& settings = {}, Bytes size = 120_KiB,
                 const std::string& collective = "allreduce") {
  std::vector<std::string> all{"netreduce.admission=share", "netreduce.flow_control.message_packets=8",
                               "netreduce.accelerator.memory=" + std::to_string(memory) + "B"};
  all.insert(all.end(), settings.begin(), settings.end());
  RunSpec spec = collective_spec(collective, "netreduce", {0, 1, 2}, {size}, all);
  spec.platform = "rack:6";
  JobSpec second = spec.jobs.front();
  second.ranks = {3, 4, 5};
  spec.jobs.push_back(second);
  return spec;
}

double waits(const std::vector<Run>& runs) { return runs.front().row.counters.at("accelerator.slot_waits"); }

}  // namespace

TEST_CASE("netreduce share: two jobs with half or a quarter of their slots both end right", "[system][netreduce]") {
  const std::vector<Run> all = check_modes(two_jobs(2 * ring_bytes)), half = check_modes(two_jobs(ring_bytes)),
                         quarter = check_modes(two_jobs(ring_bytes / 2 + 1));
  REQUIRE((all.size() == 2 && half.size() == 2 && quarter.size() == 2));
  // N messages of a ring are in flight, and hold slots until their ACKs pass. 2N are reserved without sharing.
  CHECK((waits(all) == 0 && waits(half) == 0 && waits(quarter) > 0));
  for (std::size_t j = 0; j < 2; ++j) {
    CHECK(half[j].row.time == all[j].row.time);
    CHECK(quarter[j].row.time > all[j].row.time);
  }
  CHECK(quarter.front().row.counters.at("nic.timeouts") > 0);
  // With memory for all, sharing is off: bytes are those of admission by room, as no ACK takes the detour.
  RunSpec refuse = two_jobs(2 * ring_bytes, {"netreduce.admission=refuse"});
  CHECK(run_all(refuse)[1].row.wire_bytes == all[1].row.wire_bytes);
  CHECK(half[1].row.wire_bytes > all[1].row.wire_bytes);
}

TEST_CASE("netreduce share: slots of one message are enough", "[system][netreduce]") {
  const std::vector<Run> one = check_modes(two_jobs(ring_bytes / 4 + 1, {"netreduce.nic.rto=20us"}, 60_KiB));
  CHECK(waits(one) > 10);
}

TEST_CASE("netreduce share: one job with fewer slots than its window", "[system][netreduce]") {
  RunSpec spec = two_jobs(ring_bytes / 2 + 1);
  spec.jobs.pop_back();
  spec.jobs.front().ranks = {0, 1, 2};
  check_modes(spec);
}

TEST_CASE("netreduce share: losses are repaired, also of ACKs that have returned slots", "[system][netreduce]") {
  for (const char* loss : {"0.002", "0.03"})
    for (const char* collective : {"allreduce", "allgather", "reduce_scatter"}) {
      INFO(loss << " " << collective);
      check_modes(two_jobs(ring_bytes / 2 + 1,
                           {std::string("netreduce.link.loss_rate=") + loss, "netreduce.nic.retry_count=0",
                            "netreduce.nic.rto=30us", "watchdog.window=50ms"},
                           40_KiB, collective));
    }
  for (const char* fault : {"drop:ack:1:0:3", "drop:ack:2:2", "drop:gradient:2:0:0", "drop:result:0:1:7", "drop:nack:2:0"}) {
    INFO(fault);
    RunSpec spec = two_jobs(ring_bytes / 2 + 1, {}, 60_KiB);
    spec.frame_faults.emplace_back(fault);
    for (const Run& run : run_all(spec)) CHECK(run.row.status == Status::done);
  }
}

TEST_CASE("netreduce share: rings of two ranks, rings by queue pair, and finite buffers", "[system][netreduce]") {
  RunSpec pairs = two_jobs(ring_bytes / 2, {}, 60_KiB);
  pairs.jobs[0].ranks = {0, 1}, pairs.jobs[1].ranks = {2, 3};
  check_modes(pairs);
  RunSpec by_gpu = two_jobs(ring_bytes / 2 + 1, {"netreduce.access=queue_pairs"}, 60_KiB);
  by_gpu.jobs[0].ranks = {0, 2, 4}, by_gpu.jobs[1].ranks = {1, 3, 5};
  by_gpu.platform = "rack:3x2";
  CHECK(waits(check_modes(by_gpu)) > 0);
  check_modes(two_jobs(ring_bytes + 6 * 8192, {"netreduce.accelerator.output_queue=8KiB"}, 60_KiB));
}

}  // namespace tributary::test_netreduce_sharing
