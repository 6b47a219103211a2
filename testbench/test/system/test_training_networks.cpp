/// Steps that the nodes of networks of NICs carry out themselves.
#include <catch2/catch.hpp>

#include <memory>
#include <utility>
#include <vector>

#include "platforms/schedule_nic/blocks.h"
#include "testbench/test/harness/step_specs.h"

namespace tributary::test_training_networks {

using namespace tributary::training;
using Catch::Matchers::Contains;

namespace {

/// Computation of a node that takes no time.
class NoNodeCompute final : public ComputeModule, private ComputeUnit {
 public:
  explicit NoNodeCompute(const char* name) : ComputeModule(name) {}
  ComputeUnit& unit() override { return *this; }

 private:
  void set_listener(Listener& listener) override { listener_ = &listener; }
  void load(const TaskProgram&) override {}
  void ready(std::uint32_t task, Tick now) override { due_ = now, tasks_.push_back(task); }
  void set_taken(unsigned, Tick) override {}
  Tick next() const override { return due_; }
  void run(Tick now) override {
    due_ = never;
    for (const std::uint32_t task : std::exchange(tasks_, {})) {
      listener_->compute_begun(task, now);
      listener_->compute_ended(task, now);
    }
  }
  std::vector<std::string> waiting() const override { return {}; }
  void reset() override { tasks_.clear(), due_ = never; }
  void describe(ProbeDirectory&, const std::string&) override {}

  Listener* listener_ = nullptr;
  std::vector<std::uint32_t> tasks_;
  Tick due_ = never;
};

}  // namespace

TEST_CASE("steps on networks: schedule tables and commands on a torus and a mesh leave no element wrong",
          "[system][training]") {
  check_right("multitree", miniature(500'000), {}, "torus:4x4");
  check_right("ring", miniature(500'000), {}, "torus:4x4");
  check_right("multitree", miniature(500'000), {}, "mesh:4x4");
}

TEST_CASE("steps on networks: a torus whose nodes are an operation apart leaves no element wrong", "[system][training]") {
  Stragglers uneven;
  uneven.jitter = 3, uneven.seed = 5;
  check_right("multitree", miniature(20'000, 2), uneven, "torus:4x4");
  check_right("ring", miniature(20'000), uneven, "torus:4x4");
}

TEST_CASE("steps on networks: groups that share ranks on a torus are right in both modes", "[system][training]") {
  Stragglers uneven;
  uneven.jitter = 2, uneven.seed = 5;
  check_right("ring", rows_and_columns(20'000, {"reduce_scatter", "allgather"}), uneven, "torus:4x4");
  const auto trees = [](const training::Task&, const std::vector<int>&) { return OperationAlgorithm{"multitree"}; };
  check_right(step_spec("ring", rows_and_columns(100'000, {"allreduce", "alltoall"}), uneven, "torus:4x4", trees));
}

TEST_CASE("steps on networks: a node of a torus that never begins is reported as a deadlock with its waits",
          "[system][training]") {
  RunSpec spec = step_spec("multitree", miniature(1000), {}, "torus:4x4");
  spec.jobs.front().withheld_rank = 3;
  Session session(spec);
  const ResultRow row = session.run(0).front();
  CHECK(row.status == Status::no_progress);
  CHECK_THAT(row.report, Contains("operations: queue 0: task") && Contains("tasks: "));
}

TEST_CASE("steps on networks: a user's compute engines that take no time work on a torus", "[system][training][plugin]") {
  RunSpec spec = step_spec("multitree", miniature(1'000'000'000), {}, "torus:4x4");
  spec.blocks.add(nic_compute_slot,
                  [](const char* name, const NicCore::Config&) { return std::make_unique<NoNodeCompute>(name); });
  Session session(spec);
  const ResultRow row = session.run(0).front();
  CHECK(row.wrong == 0u);
  CHECK(row.time < 1'000'000'000);
}

}  // namespace tributary::test_training_networks
