/// Runs of NetReduce that cannot end: contents of the report (docs/systems/netreduce.md#loss).
#include <catch2/catch.hpp>

#include "testbench/test/harness/netreduce_runs.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_netreduce_unfinished {

using Catch::Matchers::Contains;

namespace {

/// Checks that the run is unfinished in both modes alike, with that status, and that the report contains the lines.
ResultRow check_report(Status status, const RunSpec& spec, const std::vector<std::string>& lines) {
  ResultRow row = run_with_both(spec);
  INFO(spec.platform.name() << "\n" << row.report);
  CHECK(row.status == status);
  CHECK(row.time == 0);
  CHECK_FALSE(row.wrong);
  for (const std::string& line : lines) CHECK_THAT(row.report, Contains(line));
  return row;
}

}  // namespace

TEST_CASE("unfinished NetReduce: the report names a dead link", "[system][netreduce][faults]") {
  check_report(Status::dead_link, short_messages("rack:4", 6, {"down:host1.port0>switch.port1@0us"}),
               {"rack.host0.agent: queue pair 0 to host1: 16 packets unacknowledged from PSN",
                "given up after 7 retries, and", "link host1.port0>switch.port1 is dead since 0ps",
                "rack.accelerator.ring1: message 0, packet 0: 3 of 4 ranks, missing rank 1",
                "rack.host1.nic.qp1: 16 packets unacknowledged from PSN", "given up after 7 retries"});
  // Only results of rank 1 are lost: its own window remains, and nothing of the others.
  check_report(
      Status::dead_link, short_messages("rack:4", 6, {"down:switch.port1>host1.port0@5us"}),
      {"link switch.port1>host1.port0 is dead since 5us", "rack.host1.agent.ring1.window: message 4 waits for result 2",
       "message 4, packet 0: 3 of 4 ranks, missing rank 1"});
  check_report(Status::dead_link, short_messages("rack:4", 6, {"down:switch.port5>accelerator.port1@5us"}),
               {"link switch.port5>accelerator.port1 is dead since 5us", "missing rank 1"});
  check_report(Status::dead_link, short_messages("spine_leaf:2x2", 6, {"down:leaf0.port5>spine.port0@5us"}),
               {"link leaf0.port5>spine.port0 is dead since 5us",
                "spine_leaf.spine_accelerator.ring1: message 2, packet 0: 1 of 2 leaves, missing leaf 0",
                "spine_leaf.host0.agent.ring1.window: message 4 waits for result 2"});
  check_report(Status::dead_link, short_messages("spine_leaf:2x2", 6, {"down:spine.port1>leaf1.port5@0us"}),
               {"link spine.port1>leaf1.port5 is dead since 0ps",
                "spine_leaf.host2.agent.ring1.window: message 2 waits for result 0"});
}

TEST_CASE("unfinished NetReduce: the report names a GPU's connection that gives up over the NIC of its host",
          "[system][netreduce][machines]") {
  RunSpec spec = run_spec("parallel_netreduce", first_gpus(4), {64_KiB});
  spec.platform = "rack:2x2";
  spec.frame_faults.push_back("down:host0.port0>switch.port0@0us");
  check_report(Status::dead_link, spec,
               {".agent.gpu", ": queue pair ", " to host1: ", "given up after 7 retries, and",
                "link host0.port0>switch.port0 is dead since 0ps"});
}

TEST_CASE("unfinished NetReduce: the report names a worker that never starts", "[system][netreduce][faults]") {
  for (const char* machine : {"rack:4", "spine_leaf:2x2"})
    for (const bool limited : {true, false}) {
      // Without a limit the window ends between two timeouts, when no frame is in flight.
      const std::vector<std::string> settings =
          limited ? std::vector<std::string>{"netreduce.nic.retry_count=7"}
                  : std::vector<std::string>{"netreduce.nic.retry_count=0", "watchdog.window=950us"};
      RunSpec spec = short_messages(machine, 6, {}, settings);
      spec.jobs[0].withheld_rank = 1;
      check_report(
          limited ? Status::gave_up : Status::no_progress, spec,
          {"message 0, packet 0:", "missing rank 1", ".host1.agent.ring1.window: has not begun",
           ".host2.agent.ring1.window: message 2 waits for result 0", ".host0.nic.qp0: 16 packets unacknowledged from PSN"});
    }
}

TEST_CASE("unfinished NetReduce: the report names a queue pair that gives up", "[system][netreduce][faults]") {
  for (const char* machine : {"rack:4", "spine_leaf:2x2"}) {
    // The packet is lost as often as it is sent: first, after a timeout whose duplicates yield an ACK, which resets the
    // count, and after two timeouts without an ACK. The third exceeds the limit.
    const std::vector<std::string> twice{"netreduce.nic.retry_count=2"};
    const ResultRow row = check_report(Status::gave_up, short_messages(machine, 6, {"drop:gradient:1:5:7:4"}, twice),
                                       {"queue pair 0 to host1: ", "message 5, packet 7:", "missing rank 1",
                                        ".host1.nic.qp1: 1 packets unacknowledged from PSN", "given up after 2 retries"});
    CHECK(count_of(row, "nic.timeouts") == 4 * 4);
    CHECK(run_with_both(short_messages(machine, 6, {"drop:gradient:1:5:7:3"}, twice)).status == Status::done);
  }
}

TEST_CASE("unfinished NetReduce: a time limit ends the run with a report", "[system][netreduce][faults]") {
  for (const char* machine : {"rack:4", "spine_leaf:2x2"}) {
    RunSpec spec = short_messages(machine, 6, {"drop:gradient:1:5:7"});
    spec.time_limit = 50_us;
    const ResultRow row = run_with_both(spec);
    CHECK(row.status == Status::time_limit);
    CHECK_THAT(row.report, Contains("simulated for 50us") && Contains("message 5, packet 7:") && Contains("missing rank 1"));
  }
}

}  // namespace tributary::test_netreduce_unfinished
