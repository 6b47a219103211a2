/// Single faults of frames, on one rack and in a tree: the recovery, and its counts (docs/systems/netreduce.md#loss).
#include <catch2/catch.hpp>

#include "testbench/test/harness/netreduce_runs.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_netreduce_faults {

using Catch::Matchers::Contains;

namespace {

constexpr std::uint64_t ranks = 4, messages = 6, packets = messages * short_message;
const std::vector<std::string> machines{"rack:4", "spine_leaf:2x2"};
constexpr Tick rto = 100'000'000;

/// A run of 6 messages on 4 hosts. Checks everything except the effects of the faults.
ResultRow mended(const std::string& machine, const std::vector<std::string>& faults,
                 const std::vector<std::string>& settings = {}) {
  const ResultRow row = run_with_both(short_messages(machine, messages, faults, settings));
  CHECK(row.status == Status::done);
  CHECK(row.wrong == 0);
  CHECK(row.report == "");
  CHECK(count_of(row, "nic.accepted") == ranks * packets);
  // Each leaf completes each slot once, and so does the spine.
  CHECK(count_of(row, "accelerator.slot.completed") == (machine == machines[0] ? 1 : 3) * packets);
  // Only retransmissions after a timeout are so old.
  CHECK((count_of(row, "accelerator.slot.stale") == 0 || count_of(row, "nic.timeouts") > 0));
  return row;
}

struct Recovery {
  std::uint64_t nacks, rewinds, timeouts;
};

/// Checks the exact counts on both machines.
void check_recovery(const std::vector<std::string>& faults, const Recovery& expected) {
  for (const std::string& machine : machines) {
    INFO(machine << " " << faults.front());
    const ResultRow row = mended(machine, faults);
    CHECK(count_of(row, "nic.nacks") == expected.nacks);
    CHECK(count_of(row, "nic.rewinds") == expected.rewinds);
    CHECK(count_of(row, "nic.timeouts") == expected.timeouts);
  }
}

/// In one rack all senders go back simultaneously, each once. In a tree one rack is ahead of the other, and its
/// retransmissions arrive too early: receivers report the gap again, at most once for each of the 2N messages that may
/// be in flight.
void check_lost_gradient(const std::vector<std::string>& faults) {
  for (const std::string& machine : machines) {
    INFO(machine << " " << faults.front());
    const ResultRow row = mended(machine, faults);
    const std::uint64_t rewinds = count_of(row, "nic.rewinds");
    CHECK(rewinds >= ranks);
    CHECK(rewinds <= (machine == machines[0] ? 1 : 1 + 4) * ranks);
    CHECK(count_of(row, "nic.nacks") == rewinds);
    CHECK(count_of(row, "nic.timeouts") == 0);
  }
}

}  // namespace

TEST_CASE("faults of NetReduce: without faults every packet arrives once", "[system][netreduce][faults]") {
  for (const std::string& machine : machines)
    for (const char* set : {"netreduce.flow_control.window=1", "netreduce.flow_control.window=4"}) {
      const ResultRow row = mended(machine, {}, {set});
      for (const char* none : {"nic.nacks", "nic.rewinds", "nic.timeouts", "nic.duplicates", "accelerator.slot.duplicate",
                               "accelerator.reemissions", "accelerator.dropped", "nic.malformed"})
        CHECK(count_of(row, none) == 0);
    }
}

TEST_CASE("faults of NetReduce: a lost gradient rewinds every sender once", "[system][netreduce][faults]") {
  check_lost_gradient({"drop:gradient:1:3:4"});
  check_lost_gradient({"drop:gradient:1:2:7"});
}

TEST_CASE("faults of NetReduce: a message without its first packet is dropped until it is retransmitted",
          "[system][netreduce][faults]") {
  check_lost_gradient({"drop:gradient:1:3:0"});
  // No packet after the last message reveals the gap.
  check_recovery({"drop:gradient:1:5:0"}, {0, ranks, ranks});
  const ResultRow row = mended("rack:4", {"drop:gradient:1:3:0"});
  CHECK(count_of(row, "accelerator.clt.refused") == short_message - 1);
}

TEST_CASE("faults of NetReduce: a lost result rewinds one sender", "[system][netreduce][faults]") {
  for (const char* fault : {"drop:result:2:3:4", "drop:result:2:3:0", "drop:result:2:2:7"})
    check_recovery({fault}, {1, 1, 0});
  const ResultRow row = mended("rack:4", {"drop:result:2:3:4"});
  CHECK(count_of(row, "accelerator.reemissions") == count_of(row, "accelerator.slot.duplicate"));
  CHECK(count_of(row, "accelerator.reemissions") >= short_message - 4);
}

TEST_CASE("faults of NetReduce: acknowledgements are cumulative, and the last one is requested again",
          "[system][netreduce][faults]") {
  check_recovery({"drop:ack:1:0"}, {0, 0, 0});
  check_recovery({"drop:ack:1:5"}, {0, 1, 1});
  // A sender stops after 2N = 4 messages without an acknowledgement, and then the others stop.
  check_recovery({"drop:ack:1:0:4"}, {0, ranks, ranks});
  const ResultRow row = mended("rack:4", {"drop:ack:1:5"});
  CHECK(count_of(row, "nic.duplicates") == short_message);  // acknowledged, and not written again
}

TEST_CASE("faults of NetReduce: a loss that no packet reveals costs a timeout", "[system][netreduce][faults]") {
  check_recovery({"drop:gradient:1:5:7"}, {0, ranks, ranks});
  check_recovery({"drop:result:2:5:7"}, {0, 1, 1});
  const Tick clean = mended("rack:4", {}).time;
  const ResultRow row = mended("rack:4", {"drop:result:2:3:4", "drop:nack:2:0"});
  CHECK(count_of(row, "nic.timeouts") >= 1);
  CHECK(row.time > clean + rto / 2);
  CHECK(row.time < clean + 2 * rto);
}

TEST_CASE("faults of NetReduce: a lost message is retransmitted", "[system][netreduce][faults]") {
  std::vector<std::string> faults;
  for (unsigned o = 0; o < short_message; ++o) faults.push_back("drop:gradient:1:3:" + std::to_string(o));
  check_lost_gradient(faults);
}

TEST_CASE("faults of NetReduce: checksums drop a damaged frame where they are checked", "[system][netreduce][faults]") {
  const std::vector<std::pair<std::string, std::string>> where{{"corrupt:gradient:1:3:4", "accelerator.fcs_errors"},
                                                               {"flip:gradient:1:3:4", "accelerator.icrc_errors"},
                                                               {"corrupt:result:2:3:4", "nic.fcs_errors"},
                                                               {"flip:result:2:3:4", "nic.icrc_errors"}};
  for (const std::string& machine : machines)
    for (const auto& [fault, counter] : where) {
      INFO(machine << " " << fault);
      const ResultRow row = mended(machine, {fault});
      CHECK(count_of(row, counter) == 1);
      CHECK(count_of(row, "nic.timeouts") == 0);
    }
  const ResultRow stored = mended("rack:4", {"corrupt:gradient:1:3:4"}, {"netreduce.switch.forwarding=store_and_forward"});
  CHECK(count_of(stored, "switch.fcs_errors") == 1);
  CHECK(count_of(stored, "accelerator.fcs_errors") == 0);
}

TEST_CASE("faults of NetReduce: duplicate frames change nothing", "[system][netreduce][faults]") {
  for (const std::string& machine : machines) {
    INFO(machine);
    CHECK(count_of(mended(machine, {"duplicate:result:2:3:4"}), "nic.duplicates") == 1);
    std::vector<std::string> all;
    for (std::uint64_t i = 0; i < packets; ++i)
      all.push_back("duplicate:gradient:1:" + std::to_string(i / short_message) + ":" + std::to_string(i % short_message));
    const ResultRow row = mended(machine, all);
    CHECK(count_of(row, "nic.rewinds") == 0);
    CHECK(count_of(row, "nic.timeouts") == 0);
  }
}

TEST_CASE("faults of NetReduce: a lost notification is sent again with its first packet", "[system][netreduce][faults]") {
  const ResultRow row = mended("spine_leaf:2x2", {"drop:notification:1:0"});
  CHECK(count_of(row, "accelerator.ctt.miss") > 0);
  CHECK(count_of(row, "nic.timeouts") > 0);
}

TEST_CASE("faults of NetReduce: sequence numbers wrap under loss", "[system][netreduce][faults]") {
  // The wrap is in the message before the faulty one, in it, and in the next.
  for (const std::string& machine : machines)
    for (const unsigned before : {20u, 28u, 36u})
      for (const char* fault : {"drop:gradient:0:3:4", "drop:result:1:3:4", "drop:gradient:0:3:0", "drop:ack:1:5"})
        mended(machine, {fault}, {"netreduce.nic.first_psn=" + std::to_string((1u << 24) - before)});
}

// The length of a message does not depend on the tensor: it is padded. So all links have its bytes and one ACK per
// message.
TEST_CASE("faults of NetReduce: without faults every size from 4 B to three messages is right",
          "[system][netreduce][faults]") {
  constexpr std::uint64_t slice = 2 * 512 - 16, message_bytes = 2 * (1106 - 512) + 16 + 4, ack_bytes = 86;
  for (const std::string& machine : machines) {
    RunSpec spec =
        run_spec("netreduce", first_gpus(4), {},
                 {"netreduce.flow_control.message_packets=2", "netreduce.nic.mtu=512B", "netreduce.link.check=bytes"});
    spec.platform = machine;
    for (std::uint64_t size = 4; size <= 3 * slice; size += 4) spec.jobs[0].items.push_back({"", Bytes{size}});
    const std::vector<Run> windowed = run_all(with_hashes(spec)), event = run_all(with_hashes(spec, SimulationMode::event));
    CHECK(difference(windowed, event) == "");
    for (const Run& run : windowed) {
      const ResultRow& row = run.row;
      INFO(machine << " " << row.size_bytes << " B");
      const std::uint64_t count = (row.size_bytes + slice - 1) / slice;
      CHECK(row.status == Status::done);
      CHECK(row.wrong == 0);
      CHECK(count_of(row, "nic.accepted") == ranks * 2 * count);
      CHECK(count_of(row, "nic.duplicates") + count_of(row, "nic.retries") + count_of(row, "accelerator.slot.duplicate") ==
            0);
      for (const LinkUse& link : row.links)
        if (link.name.rfind("host", 0) == 0) CHECK(link.bytes == count * (message_bytes + ack_bytes));
    }
  }
}

// A queue pair whose ACKs are all lost stops after 2N messages, and later so do the others. It restarts after its
// timeout, but messages 0 and 1 are no longer answered: their slots hold messages 4 and 5. So rank 0 sends message 4 2
// L and 6.2 us (ACK, completion, sending) after its timeout, and L and 2.7 us later all have its ACK. The others sent
// their message 4 L after rank 0's message 0: their own timers expire first unless L > 8.9 us, 101 packets
// (docs/systems/netreduce.md#loss).
TEST_CASE("faults of NetReduce: lost ACKs of 2N messages stop one sender, and all senders if messages are short",
          "[system][netreduce][faults]") {
  for (const unsigned length : {60u, 95u, 110u, 170u}) {
    INFO(length << " packets");
    const ResultRow row = run_with_both(messages_of("rack:4", length, messages, {"drop:ack:1:0:4"}));
    CHECK(row.status == Status::done);
    CHECK(row.wrong == 0);
    CHECK(count_of(row, "nic.timeouts") == (length < 101 ? ranks : 1));
    CHECK(count_of(row, "accelerator.slot.stale") == 2 * length);
  }
}

}  // namespace tributary::test_netreduce_faults
