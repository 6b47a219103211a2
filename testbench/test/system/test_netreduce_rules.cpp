/// Literal readings of the paper on whole machines: one or two faults after which a run does not end or has wrong sums,
/// and the default, which recovers (docs/systems/netreduce.md#slots, #addressing).
#include <catch2/catch.hpp>

#include "testbench/test/harness/netreduce_runs.h"

namespace tributary::test_netreduce_rules {

using Catch::Matchers::Contains;

namespace {

const std::vector<std::string> machines{"rack:4", "spine_leaf:2x2"};

struct Script {
  unsigned window, message_packets;
  std::uint64_t messages;
  std::vector<std::string> faults;
};

/// NICs retry without limit, so that only the watchdog ends a run without progress: here between two timeouts, when no
/// frame is in flight, because the reported location of a frame depends on the mode.
ResultRow run(const std::string& machine, const Script& s, const std::vector<std::string>& settings) {
  std::vector<std::string> all{"netreduce.flow_control.window=" + std::to_string(s.window), "netreduce.nic.retry_count=0",
                               "watchdog.window=950us"};
  all.insert(all.end(), settings.begin(), settings.end());
  return run_with_both(messages_of(machine, s.message_packets, s.messages, s.faults, all));
}

/// Checks that the run ends with right sums by the defaults, and that with `settings` it stops and the report contains
/// all `lines`.
void check_stuck(const std::string& machine, const Script& script, const std::vector<std::string>& settings,
                 const std::vector<std::string>& lines) {
  INFO(machine << " " << settings.front());
  const ResultRow sound = run(machine, script, {});
  CHECK(sound.status == Status::done);
  CHECK(sound.wrong == 0);
  const ResultRow stuck = run(machine, script, settings);
  CHECK(stuck.status == Status::no_progress);
  CHECK_THAT(stuck.report, Contains("nothing has moved for") && Contains("4 ranks are not done"));
  for (const std::string& line : lines) CHECK_THAT(stuck.report, Contains(line));
}

/// The last packet of message 3 is lost on its path to rank 2. No later packet reveals the gap, because the window is
/// closed, so rank 1 retransmits after its timeout: by then the other three have posted message 4. The loss of any
/// other packet is revealed by the next one, and it is retransmitted before the others have all of message 3: then each
/// rule recovers.
const Script lost_result{1, 8, 6, {"drop:result:2:3:7"}};
const std::string receiver = ".host2.agent.ring1.window: message 4 waits for result 3",
                  sender = ".host1.nic.qp1: 16 packets unacknowledged from PSN",
                  entry = ".clt: ring1: connection 2>3 at message 3, 1 behind";

}  // namespace

TEST_CASE("NetReduce by rule `any`: one lost result is awaited without end", "[system][netreduce][faults]") {
  const std::string rule = "netreduce.aggregation.rule=any";
  check_stuck("rack:4", lost_result, {rule},
              {"rack" + receiver, "rack" + sender,
               "rack.accelerator.ring1: message 4, packet 0: 3 of 4 ranks, missing rank 2", "rack.accelerator" + entry});
  check_stuck("spine_leaf:2x2", lost_result, {rule},
              {"spine_leaf" + receiver, "spine_leaf.accelerator1" + entry, "spine_leaf" + sender,
               "spine_leaf.accelerator1.ring1: message 4, packet 0: 1 of 2 ranks, missing rank 2",
               "spine_leaf.spine_accelerator.ring1: message 4, packet 0: 1 of 2 leaves, missing leaf 1"});
}

TEST_CASE("NetReduce by rule `bit`: with three hosts or more a lost result is awaited without end",
          "[system][netreduce][faults]") {
  const std::string rule = "netreduce.aggregation.rule=bit";
  check_stuck("rack:4", lost_result, {rule},
              {"rack" + receiver, "rack" + sender,
               "rack.accelerator.ring1: message 3, packet 0: 1 of 4 ranks, missing ranks 0, 1, 3"});
  check_stuck("spine_leaf:2x2", lost_result, {rule},
              {"spine_leaf" + receiver, "spine_leaf" + sender,
               "spine_leaf.accelerator1.ring1: message 3, packet 0: 1 of 2 ranks, missing rank 3"});
  for (const char* earlier : {"drop:result:2:3:0", "drop:result:2:3:6"})
    CHECK(run("rack:4", {1, 8, 6, {earlier}}, {rule}).status == Status::done);
  // With two hosts, the waiting one has cleared nothing, and the other one's bit arrives again.
  const Script two{1, 8, 6, {"drop:result:1:3:7"}};
  CHECK(run("rack:2", two, {rule}).status == Status::done);
  CHECK(run("rack:2", two, {"netreduce.aggregation.rule=any"}).status == Status::no_progress);
}

TEST_CASE("NetReduce with N slots: a newer message takes the slot of a message that a rank still lacks",
          "[system][netreduce][faults]") {
  for (const std::string& machine : machines) {
    const ResultRow row = run(machine, lost_result, {"netreduce.aggregation.slots=N"});
    CHECK(count_of(row, "accelerator.slot.stale") > 0);
    check_stuck(machine, lost_result, {"netreduce.aggregation.slots=N"}, {receiver, sender, entry, "message 4, packet 0:"});
  }
}

TEST_CASE("NetReduce with a CLT that reaches N messages back: packets of an older message are not recognised",
          "[system][netreduce][faults]") {
  // Rank 3 retransmits message 2 when its entry is at message 5, 2N - 1 further.
  const Script script{2, 8, 6, {"drop:result:0:2:5", "drop:nack:0:0"}};
  for (const std::string& machine : machines) {
    check_stuck(
        machine, script, {"netreduce.aggregation.clt_range=N"},
        {".host0.agent.ring1.window: message 4 waits for result 2", ".host3.nic.qp1: 27 packets unacknowledged from PSN",
         "message 4, packet 0:", ".clt: ring1: connection 0>1 at message 3, 2 behind"});
    CHECK(count_of(run(machine, script, {"netreduce.aggregation.clt_range=N"}), "accelerator.clt.stale") > 0);
  }
}

TEST_CASE("NetReduce with a CLT that goes back: a sender skips the first packet that it would need",
          "[system][netreduce][faults]") {
  // Rank 0 restarts message 0 after its timeout. An ACK of a retransmitted packet arrives 6.3 us later, 71 packets, and
  // moves it to the last packet of message 1, past the first: a message has to be longer than that.
  const Script script{1, 128, 3, {"drop:gradient:0:1:127", "drop:ack:1:0"}};
  for (const std::string& machine : machines)
    check_stuck(
        machine, script, {"netreduce.aggregation.clt_order=last"},
        {".host1.agent.ring1.window: message 2 waits for result 1", ".host0.nic.qp0: 1 packets unacknowledged from PSN",
         "message 1, packet 127:", "missing rank 0", ".clt: ring1: connection 0>1 at message 0, 1 behind"});
}

TEST_CASE("NetReduce by rule `full`: a late duplicate is added to the sum of another message",
          "[system][netreduce][faults]") {
  // All ACKs of four messages and of the first retransmissions are lost. Rank 0 stops after 2N messages without an ACK
  // and repeats message 0 when the others have sent message 4, which has its slots.
  const Script script{2, 8, 6, {"drop:ack:1:0:36"}};
  for (const std::string& machine : machines) {
    INFO(machine);
    const ResultRow full = run(machine, script, {"netreduce.aggregation.rule=full"});
    CHECK(full.status == Status::wrong);
    CHECK(full.wrong.value_or(0) > 0);
    CHECK(run(machine, script, {}).status == Status::done);
  }
}

TEST_CASE("NetReduce in place by rule `full`: a result is added to gradients", "[system][netreduce][faults]") {
  // Rank 1 retransmits the packets that rank 2 lacks from its memory, which holds its own result there.
  const Script script{2, 8, 6, {"drop:result:2:3:4"}};
  const std::string overwriting = "netreduce.flow_control.buffers=in_place", full = "netreduce.aggregation.rule=full";
  for (const std::string& machine : machines) {
    INFO(machine);
    CHECK(run(machine, script, {overwriting, full}).status == Status::wrong);
    CHECK(run(machine, script, {overwriting}).status == Status::done);
    CHECK(run(machine, script, {full}).status == Status::done);
  }
}

}  // namespace tributary::test_netreduce_rules
