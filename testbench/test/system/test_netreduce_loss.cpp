/// Frames lost by chance on all links, both ways: every run must finish with right sums (docs/systems/netreduce.md#loss).
#include <catch2/catch.hpp>

#include "platforms/netreduce/netreduce_platform.h"
#include "testbench/test/harness/forked_run.h"
#include "testbench/test/harness/run_specs.h"

using namespace tributary;

namespace {

struct Shape {
  const char* machine;
  unsigned window, message_packets;
  const char* loss;
};

/// One elaboration, and a run for each seed, which gives losses and PSNs; lengths go round from less than a message to six.
RunSpec spec_of(const Shape& shape, unsigned runs, const std::vector<std::string>& settings, const std::string& algorithm) {
  const std::uint64_t slice = shape.message_packets * 1024 - 16;
  std::vector<Bytes> sizes;
  for (unsigned i = 0; i < runs; ++i) sizes.push_back(Bytes{(1 + i % 6) * slice - i % 5 * 200});
  std::vector<std::string> all{std::string("netreduce.link.loss_rate=") + shape.loss,
                               "netreduce.flow_control.window=" + std::to_string(shape.window),
                               "netreduce.flow_control.message_packets=" + std::to_string(shape.message_packets),
                               "netreduce.nic.retry_count=0", "watchdog.window=20ms"};
  all.insert(all.end(), settings.begin(), settings.end());
  RunSpec spec = run_spec(algorithm, first_gpus(topology::racks(shape.machine).all_hosts()), sizes, all);
  spec.platform = shape.machine;
  return spec;
}

/// What went wrong, or empty. Some run must have met a loss.
std::string run_seeds(const Shape& shape, std::uint64_t first, unsigned runs, const std::vector<std::string>& settings = {},
                      const std::string& algorithm = "netreduce") {
  return in_child([&] {
    Session session(spec_of(shape, runs, settings, algorithm));
    auto& platform = dynamic_cast<NetReducePlatform&>(session.platform());
    std::string bad;
    double rewinds = 0;
    for (unsigned i = 0; i < runs; ++i) {
      platform.reseed(first + i);
      const ResultRow row = session.run(i).front();
      rewinds += row.counters.at("nic.rewinds");
      if (row.status != Status::done)
        bad += "seed " + std::to_string(first + i) + ": status " + std::to_string(static_cast<int>(row.status)) + "\n" +
               row.report;
    }
    if (rewinds == 0) bad += "no run has lost anything";
    return bad;
  });
}

const std::vector<Shape> shapes{
    {"rack:2", 1, 1, "0.05"},        {"rack:2", 2, 3, "0.1"},         {"rack:3", 2, 9, "0.01"},
    {"rack:4", 2, 8, "0.02"},        {"rack:4", 4, 1, "0.2"},         {"rack:4", 1, 5, "0.1"},
    {"rack:8", 2, 4, "0.005"},       {"rack:8", 3, 2, "0.05"},        {"spine_leaf:2x2", 2, 8, "0.01"},
    {"spine_leaf:2x2", 2, 3, "0.1"}, {"spine_leaf:3x3", 2, 2, "0.02"}};

}  // namespace

TEST_CASE("NetReduce under loss: all runs of every shape finish", "[system][netreduce][faults]") {
  std::uint64_t seed = 1;
  for (const Shape& shape : shapes) {
    INFO(shape.machine << " N " << shape.window << " MsgLen " << shape.message_packets << " loss " << shape.loss);
    CHECK(run_seeds(shape, seed, 20) == "");
    seed += 20;
  }
}

TEST_CASE("NetReduce under loss: a thousand seeds", "[.][netreduce][faults][long]") {
  std::uint64_t seed = 100'001;
  for (const Shape& shape : shapes) {
    INFO(shape.machine << " N " << shape.window << " MsgLen " << shape.message_packets << " loss " << shape.loss);
    CHECK(run_seeds(shape, seed, 92) == "");
    seed += 92;
  }
}

// With all slots in use, what a host sends again follows what the others complete: no result overtakes another of its
// connection, so a gap is reported once, by its receiver alone or, of a gradient, by all.
TEST_CASE("NetReduce under loss: one frame costs one NACK of each receiver that lacks it", "[system][netreduce][faults]") {
  for (const auto& [fault, receivers] : {std::pair{"drop:result:2:10:50", 1}, std::pair{"drop:gradient:2:10:50", 6}}) {
    INFO(fault);
    RunSpec spec = run_spec("netreduce", first_gpus(6), {4_MiB});
    spec.platform = "rack:6";
    const ResultRow clean = run_one(spec).row;
    spec.frame_faults.push_back(parse_fault_rule(fault));
    const ResultRow row = run_one(spec).row;
    CHECK(row.status == Status::done);
    CHECK(row.wrong == 0);
    CHECK(row.counters.at("nic.nacks_sent") == receivers);
    CHECK(row.counters.at("nic.rewinds") == receivers);
    CHECK(row.time - clean.time < 5'000'000);  // the NACK's way, and what was sent meanwhile
  }
}

// A NIC reads memory again for what it sends again: it must find there what it has sent. Slices of one message are on their
// way together.
TEST_CASE("NetReduce under loss: collectives of software over RDMA", "[system][netreduce][faults]") {
  std::uint64_t seed = 200'001;
  for (const char* algorithm : {"ring", "halving_doubling", "double_binary_tree"})
    for (const Shape& shape :
         {Shape{"rack:4", 2, 170, "0.05"}, Shape{"rack:3", 2, 170, "0.05"}, Shape{"spine_leaf:2x3", 2, 60, "0.02"}}) {
      INFO(algorithm << " " << shape.machine << " loss " << shape.loss);
      CHECK(run_seeds(shape, seed, 18, {"netreduce.host.slice=64KiB"}, algorithm) == "");
      seed += 18;
    }
}

TEST_CASE("NetReduce under bit errors: check sums find them", "[system][netreduce][faults]") {
  const Shape shape{"rack:4", 2, 8, "0"};
  CHECK(run_seeds(shape, 1, 20, {"netreduce.link.bit_error_rate=0.000002"}) == "");
}
