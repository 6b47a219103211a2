/// Random losses of frames on all links in both directions: every run must finish with right sums
/// (docs/systems/netreduce.md#loss).
#include <catch2/catch.hpp>

#include "platforms/netreduce/netreduce_platform.h"
#include "testbench/test/harness/forked_run.h"
#include "testbench/test/harness/run_specs.h"

namespace tributary::test_netreduce_loss {
namespace {

struct Shape {
  const char* machine;
  unsigned window, message_packets;
  const char* loss;  ///< probability for each frame on each link
};

/// The size of run `i`: from less than a message to more than the bytes that can be in flight.
std::uint64_t messages_of(const Shape& shape, unsigned i) { return 1 + i % (2 * shape.window + 3); }

/// One elaboration and a run for each seed, which determines the losses; PSNs wrap in the third message.
RunSpec spec_of(const Shape& shape, unsigned runs, const std::vector<std::string>& settings, const std::string& algorithm) {
  const std::uint64_t slice = shape.message_packets * 1024 - 16;
  std::vector<Bytes> sizes;
  for (unsigned i = 0; i < runs; ++i) sizes.push_back(Bytes{messages_of(shape, i) * slice - i % 5 * 200});
  const std::uint32_t first_psn = (1u << 24) - 2 * shape.message_packets - shape.message_packets / 2;
  std::vector<std::string> all{std::string("netreduce.link.loss_rate=") + shape.loss,
                               "netreduce.flow_control.window=" + std::to_string(shape.window),
                               "netreduce.flow_control.message_packets=" + std::to_string(shape.message_packets),
                               "netreduce.nic.first_psn=" + std::to_string(first_psn),
                               "netreduce.nic.retry_count=0",
                               "watchdog.window=20ms"};
  all.insert(all.end(), settings.begin(), settings.end());
  RunSpec spec = run_spec(algorithm, first_gpus(topology::racks(shape.machine).all_hosts()), sizes, all);
  spec.platform = shape.machine;
  return spec;
}

/// Checks that each packet of each message is accepted once by each rank, and that its sum is completed once in each
/// accelerator. Returns the violation. Status::done implies right sums, and the session checks that nothing is left
/// over.
std::string once_each(NetReducePlatform& platform, const ResultRow& row, std::uint64_t packets) {
  std::string bad;
  for (unsigned h = 0; h < platform.endpoints(); ++h) {
    RoceNicCore& nic = platform.host(h).nic().core();
    std::uint64_t accepted = 0;
    for (unsigned q = 0; q < nic.queue_pairs(); ++q) accepted += nic.queue_pair(q).receive.counts().accepted;
    if (accepted != packets)
      bad += "host" + std::to_string(h) + " has accepted " + std::to_string(accepted) + " packets of " +
             std::to_string(packets) + "\n";
  }
  const auto sums = static_cast<std::uint64_t>(row.counters.at("accelerator.slot.completed"));
  const auto accelerators = static_cast<std::uint64_t>(platform.racks().accelerators());
  if (sums != accelerators * packets) bad += std::to_string(sums) + " sums of " + std::to_string(packets) + " packets\n";
  return bad;
}

struct Outcome {
  std::string wrong;  ///< empty: all runs are right
  std::string told;   ///< times and counts of all runs
};

/// Runs the seeds from `first` on in a process of their own. At least one run must have a loss.
Outcome run_seeds(const Shape& shape, std::uint64_t first, unsigned runs, const std::vector<std::string>& settings = {},
                  SimulationMode mode = SimulationMode::windowed, const std::string& algorithm = "netreduce") {
  RunSpec spec = spec_of(shape, runs, settings, algorithm);
  spec.mode = mode;
  const std::string text = in_child([&] {
    Session session(spec);
    auto& platform = dynamic_cast<NetReducePlatform&>(session.platform());
    std::string wrong, told;
    double rewinds = 0;
    for (unsigned i = 0; i < runs; ++i) {
      platform.reseed(first + i);
      const ResultRow row = session.run(i).front();
      rewinds += row.counters.at("nic.rewinds");
      std::string bad = row.status == Status::done ? "" : "status " + std::to_string(static_cast<int>(row.status)) + "\n";
      if (algorithm == "netreduce") bad += once_each(platform, row, messages_of(shape, i) * shape.message_packets);
      bad += row.report;
      if (!bad.empty()) wrong += "seed " + std::to_string(first + i) + ": " + bad;
      told += std::to_string(row.time) + " " + std::to_string(row.wire_bytes);
      for (const char* count : {"nic.nacks", "nic.rewinds", "nic.timeouts", "nic.retries", "nic.duplicates"})
        told += " " + std::to_string(row.counters.at(count));
      told += "\n";
    }
    if (rewinds == 0) wrong += "no run has lost anything";
    return wrong + '\0' + told;
  });
  const std::size_t end = text.find('\0');
  return {text.substr(0, end), text.substr(end + 1)};
}

/// 50 seeds of each shape, in both modes.
void check_shapes(const std::vector<Shape>& shapes, std::uint64_t seed) {
  constexpr unsigned runs = 50;
  for (const Shape& shape : shapes) {
    INFO(shape.machine << " N " << shape.window << " MsgLen " << shape.message_packets << " loss " << shape.loss);
    const Outcome all = run_seeds(shape, seed, runs);
    CHECK(all.wrong == "");
    CHECK(all.told == run_seeds(shape, seed, runs, {}, SimulationMode::event).told);
    seed += runs;
  }
}

}  // namespace

// A thousand seeds in total: H 2 to 8, N 1 to 4, MsgLen 1 to 9, 0.1 to 20 % of the frames on each link.
TEST_CASE("NetReduce under loss: racks of 2 to 4 hosts give right sums", "[system][netreduce][faults]") {
  check_shapes({{"rack:2", 1, 1, "0.2"},
                {"rack:2", 2, 3, "0.1"},
                {"rack:2", 4, 9, "0.05"},
                {"rack:3", 2, 9, "0.01"},
                {"rack:3", 3, 4, "0.1"},
                {"rack:4", 2, 8, "0.02"},
                {"rack:4", 4, 1, "0.2"},
                {"rack:4", 1, 5, "0.1"}},
               1);
}

TEST_CASE("NetReduce under loss: racks of 5 to 8 hosts give right sums", "[system][netreduce][faults]") {
  check_shapes({{"rack:5", 3, 7, "0.03"},
                {"rack:6", 2, 9, "0.05"},
                {"rack:7", 1, 2, "0.2"},
                {"rack:8", 2, 6, "0.001"},
                {"rack:8", 3, 2, "0.05"},
                {"rack:8", 4, 9, "0.02"}},
               10'001);
}

TEST_CASE("NetReduce under loss: trees give right sums", "[system][netreduce][faults]") {
  check_shapes({{"spine_leaf:2x2", 2, 8, "0.01"},
                {"spine_leaf:2x2", 3, 3, "0.1"},
                {"spine_leaf:2x2", 1, 1, "0.2"},
                {"spine_leaf:3x3", 2, 2, "0.02"},
                {"spine_leaf:2x4", 4, 5, "0.05"},
                {"spine_leaf:4x2", 2, 9, "0.001"}},
               20'001);
}

// 2 % of gradients and of results, 20 % of ACKs and NACKs; each passes two links.
TEST_CASE("NetReduce under loss: rule `tag` with 2N slots always ends, and with N slots it stops",
          "[system][netreduce][faults]") {
  const Shape shape{"rack:4", 2, 1, "0.01005"};
  const std::string answers = "netreduce.link.answer_loss_rate=0.10557";
  CHECK(run_seeds(shape, 30'001, 60, {answers}).wrong == "");
  CHECK(run_seeds({"rack:4", 2, 8, "0.01005"}, 30'101, 60, {answers}).wrong == "");
  const std::string wrong = run_seeds(shape, 30'201, 12, {answers, "netreduce.aggregation.slots=N"}).wrong;
  CHECK(wrong.find("status " + std::to_string(static_cast<int>(Status::no_progress))) != std::string::npos);
}

// With all slots in use, retransmissions of a host follow completions of the others: no result overtakes another one of
// its connection, so a gap is reported once, by its receiver alone or, for a gradient, by all.
TEST_CASE("NetReduce under loss: one lost frame costs one NACK of each receiver that lacks it",
          "[system][netreduce][faults]") {
  for (const auto& [fault, receivers] : {std::pair{"drop:result:2:10:50", 1}, std::pair{"drop:gradient:2:10:50", 6}}) {
    INFO(fault);
    RunSpec spec = run_spec("netreduce", first_gpus(6), {4_MiB});
    spec.platform = "rack:6";
    const ResultRow clean = run_one(spec).row;
    spec.frame_faults.push_back(fault);
    const ResultRow row = run_one(spec).row;
    CHECK(row.status == Status::done);
    CHECK(row.wrong == 0);
    CHECK(row.counters.at("nic.nacks_sent") == receivers);
    CHECK(row.counters.at("nic.rewinds") == receivers);
    CHECK(row.time - clean.time < 5'000'000);  // the path of the NACK, and the packets sent meanwhile
  }
}

// A NIC reads memory again for retransmissions: it must find the data that it sent. Slices of one message are in flight
// together.
TEST_CASE("NetReduce under loss: collectives of software over RDMA are right", "[system][netreduce][faults]") {
  std::uint64_t seed = 200'001;
  for (const char* algorithm : {"ring", "halving_doubling", "double_binary_tree"})
    for (const Shape& shape :
         {Shape{"rack:4", 2, 170, "0.05"}, Shape{"rack:3", 2, 170, "0.05"}, Shape{"spine_leaf:2x3", 2, 60, "0.02"}}) {
      INFO(algorithm << " " << shape.machine << " loss " << shape.loss);
      CHECK(run_seeds(shape, seed, 18, {"netreduce.host.slice=64KiB"}, SimulationMode::windowed, algorithm).wrong == "");
      seed += 18;
    }
}

TEST_CASE("NetReduce under bit errors: checksums detect them", "[system][netreduce][faults]") {
  const Shape shape{"rack:4", 2, 8, "0"};
  CHECK(run_seeds(shape, 1, 20, {"netreduce.link.bit_error_rate=0.000002"}).wrong == "");
}

}  // namespace tributary::test_netreduce_loss
