// Flows of one rank of each class have the times, and put the bytes on links, of flows of all ranks.
#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>

#include "testbench/collective/fluid/fluid_run.h"
#include "testbench/collective/schedule/stepwise_proof.h"
#include "testbench/family/schedule_nic/fluid/fluid_lowering.h"
#include "testbench/run/completion.h"

namespace tributary::test_class_flows {

using namespace collective;

namespace {

JobSpec job_of(const std::string& collective, int ranks) {
  JobSpec job;
  job.collective = collective, job.algorithm = "ring";
  job.ranks.resize(static_cast<std::size_t>(ranks));
  std::iota(job.ranks.begin(), job.ranks.end(), 0);
  return job;
}

/// The schedules of a job on a network.
class Schedules : public NicSchedules {
 public:
  Schedules(const topology::Network& network, const JobSpec& job)
      : outline_(network_outline(network, {job.collective, job.algorithm, job.ranks})),
        schedule_(network_schedule(network, {job.collective, job.algorithm, job.ranks})) {
    verify_any(schedule_.schedule);
  }
  const NetworkSchedule& schedule(const JobSpec&, Bytes) override { return schedule_; }
  const NetworkSchedule& outline(const JobSpec&, Bytes) override { return outline_; }

 private:
  NetworkSchedule outline_, schedule_;
};

struct Outcome {
  Tick end = 0;
  std::size_t activities = 0;
  std::vector<double> bytes;  ///< by link
};

Outcome outcome_of(NicFluidLowering& lowering, const JobSpec& job, Bytes message, bool alone) {
  ActivityGraph graph;
  for (const FluidLink& link : lowering.links()) graph.add_link(link.rate);
  std::vector<std::uint32_t> like;
  if (alone)
    like = lowering.add_alone(job, message, 0, graph);
  else
    lowering.add(job, message, 0, graph);
  FluidRun run(graph);
  run.run();
  const std::vector<double> crossed = graph.link_bytes();
  Outcome outcome{run.end(), graph.size(), crossed};
  for (std::size_t l = 0; l < like.size(); ++l) outcome.bytes[l] = crossed[like[l]];
  return outcome;
}

ScheduleNicPlatform::Config without_data() {
  ScheduleNicPlatform::Config config;
  config.with_data = false;
  config.params.nic.table.entries = 4096;
  return config;
}

/// Compares both kinds of flows. `classes`: ranks act alike if their chunks have equal sizes.
void compare(const std::string& name, const std::string& collective, bool classes) {
  Completion completion;
  ScheduleNicPlatform system("network", topology::network(name), without_data(), completion);
  const JobSpec job = job_of(collective, system.network().size());
  Schedules schedules(system.network(), job);
  NicFluidLowering lowering(system, schedules);
  const std::uint64_t even = 128 * 48 * job.ranks.size();
  for (const std::uint64_t bytes : {even, even + 4, std::uint64_t{4}}) {
    INFO(name << ", " << collective << ", " << bytes << " B");
    const Outcome all = outcome_of(lowering, job, Bytes{bytes}, false), one = outcome_of(lowering, job, Bytes{bytes}, true);
    const bool alike = classes && bytes == even;
    CHECK(lowering.lowers_alone(job, Bytes{bytes}) == alike);
    CHECK(one.end == all.end);
    CHECK(one.activities == (alike ? all.activities / job.ranks.size() : all.activities));
    CHECK(one.bytes.size() == all.bytes.size());
    for (std::size_t l = 0; l < all.bytes.size(); ++l) CHECK(std::abs(one.bytes[l] - all.bytes[l]) < 0.5);
  }
}

}  // namespace

TEST_CASE("class flows: an all-reduce by ring on a torus", "[system]") { compare("torus:4x4", "allreduce", true); }
TEST_CASE("class flows: a reduce-scatter by ring on a torus", "[system]") { compare("torus:4x6", "reduce_scatter", true); }
TEST_CASE("class flows: an all-gather by ring on a mesh", "[system]") { compare("mesh:4x4", "allgather", true); }
// Some neighbours in the ring have a switch between them, others two or three.
TEST_CASE("class flows: ranks at unlike distances keep their own flows", "[system]") {
  compare("fat_tree_2level:16", "allreduce", false);
}

}  // namespace tributary::test_class_flows
