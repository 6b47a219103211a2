/// Steps that hosts on Ethernet carry out themselves (docs/training_fidelity.md#full).
#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "testbench/test/harness/netreduce_runs.h"
#include "testbench/test/harness/step_specs.h"

namespace tributary::test_training_racks {

using namespace tributary::training;
using Catch::Matchers::Contains;

namespace {

Stragglers uneven(unsigned jitter) {
  Stragglers all;
  all.jitter = jitter, all.seed = 5;
  return all;
}

RunSpec rack_step(const std::string& platform, const std::string& algorithm, const TaskGraph& graph,
                  const std::vector<std::string>& settings = {}, const Stragglers& stragglers = {}) {
  return step_on(collective_spec("allreduce", algorithm, first_gpus(graph.ranks), {128_B}, settings), platform, graph,
                 by(algorithm), stragglers);
}

/// All-reduces of `bytes` of all hosts, one after another, each after a pass of 5 us.
TaskGraph in_turn(int ranks, std::uint64_t bytes, int count) {
  TaskGraph graph(ranks);
  std::vector<int> all;
  for (int r = 0; r < ranks; ++r) all.push_back(r);
  const GroupId group = graph.add_group("all", all);
  for (int i = 0; i < count; ++i) {
    training::Task pass, operation;
    pass.name = "pass", pass.kind = TaskKind::compute, pass.work = Work::of_time(5'000'000);
    if (i > 0) pass.after = {static_cast<TaskId>(graph.tasks.size() - 1)};
    operation.name = "gradients", operation.kind = TaskKind::collective, operation.group = group;
    operation.after = {graph.add(pass)};
    operation.transfer.collective = "allreduce", operation.transfer.bytes = bytes;
    graph.add(operation);
  }
  return graph;
}

/// Returns the error of a run that is refused.
std::string refusal(const RunSpec& spec) {
  return in_child([&] {
    try {
      Session session(spec);
    } catch (const std::exception& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  });
}

}  // namespace

TEST_CASE("steps on racks: NetReduce and rings leave no element wrong", "[system][training][netreduce]") {
  for (const char* platform : {"rack:16", "spine_leaf:4x4"})
    for (const char* algorithm : {"netreduce", "ring", "halving_doubling"}) {
      INFO(platform << " " << algorithm);
      check_right(rack_step(platform, algorithm, miniature(500'000)));
    }
  check_right(rack_step("rack:16", "netreduce", miniature(500'000), {"netreduce.flow_control.buffers=staged"}));
  check_right(rack_step("rack:16", "netreduce", miniature(500'000), {"netreduce.flow_control.buffers=in_place"}));
}

TEST_CASE("steps on racks: hosts that are an operation apart leave no element wrong", "[system][training][netreduce]") {
  check_right(rack_step("rack:16", "netreduce", miniature(20'000, 2), {}, uneven(3)));
  check_right(rack_step("spine_leaf:4x4", "ring", miniature(20'000), {}, uneven(3)));
}

TEST_CASE("steps on racks: groups that share hosts have rings of their own", "[system][training][netreduce]") {
  const TaskGraph graph = rows_and_columns(20'000, {"reduce_scatter", "allgather"});
  const AlgorithmOf rows = [](const training::Task& task, const std::vector<int>&) {
    return OperationAlgorithm{task.transfer.collective == "allreduce" ? "netreduce" : "ring"};
  };
  const RunSpec base = collective_spec("allreduce", "netreduce", first_gpus(16), {128_B});
  check_right(step_on(base, "rack:16", graph, rows, uneven(2)));
  check_right(step_on(base, "spine_leaf:4x4", graph, rows, uneven(2)));
  const AlgorithmOf software = [](const training::Task& task, const std::vector<int>&) {
    return OperationAlgorithm{task.transfer.collective == "allreduce" ? "ring" : "direct"};
  };
  check_right(step_on(base, "spine_leaf:4x4", rows_and_columns(20'000, {"alltoall"}), software, uneven(2)));
  check_right(rack_step("spine_leaf:2x8", "netreduce", rows_and_columns(20'000, {"allreduce"}), {}, uneven(2)));
}

TEST_CASE("steps on racks: every collective of NetReduce is right in a step, also with lost frames",
          "[system][training][netreduce]") {
  const TaskGraph graph = rows_and_columns(20'000, {"reduce_scatter", "allgather", "broadcast", "reduce"});
  const std::vector<std::string> lossy{"netreduce.link.loss_rate=0.002", "netreduce.nic.retry_count=0",
                                       "netreduce.flow_control.message_packets=8"};
  for (const char* platform : {"rack:16", "spine_leaf:4x4"})
    for (const char* buffers : {"out_of_place", "staged"}) {
      INFO(platform << " " << buffers);
      std::vector<std::string> settings = lossy;
      settings.push_back("netreduce.flow_control.buffers=" + std::string(buffers));
      check_right(rack_step(platform, "netreduce", graph, settings, uneven(2)));
    }
}

TEST_CASE("steps on racks: software runs beside a ring of the same hosts by rules of queue pairs",
          "[system][training][netreduce]") {
  const AlgorithmOf mixed = [](const training::Task& task, const std::vector<int>&) {
    return OperationAlgorithm{task.transfer.bytes % 3 == 0 ? "netreduce" : "ring"};
  };
  TaskGraph graph = in_turn(4, 30'000, 4);
  graph.tasks[3].transfer.bytes = graph.tasks[7].transfer.bytes = 40'004;
  const std::vector<std::string> by_pairs{"netreduce.access=queue_pairs"};
  const auto base = [](const std::vector<std::string>& settings) {
    return collective_spec("allreduce", "netreduce", first_gpus(4), {128_B}, settings);
  };
  check_right(step_on(base(by_pairs), "rack:4", graph, mixed));
  check_right(step_on(base(by_pairs), "spine_leaf:2x2", graph, mixed));
  CHECK(refusal(step_on(base({}), "rack:4", graph, mixed)) ==
        "--fidelity full: host0 and host1 have operations by netreduce and by ring, and the switch redirects all frames "
        "between them to its accelerator; legal: netreduce.access=queue_pairs, one kind of algorithm, or --fidelity "
        "isolated");
}

TEST_CASE("steps on racks: lost frames are sent again, also across operations", "[system][training][netreduce]") {
  for (const char* algorithm : {"netreduce", "ring"})
    for (const char* platform : {"rack:4", "spine_leaf:2x2"}) {
      INFO(platform << " " << algorithm);
      RunSpec spec = rack_step(platform, algorithm, in_turn(4, 50'004, 6),
                               {"netreduce.link.loss_rate=0.01", "netreduce.link.answer_loss_rate=0.1",
                                "netreduce.flow_control.message_packets=8", "netreduce.nic.retry_count=0"});
      check_right(spec);
      CHECK(count_of(run_one(spec).row, "nic.retries") > 0);
    }
}

TEST_CASE("steps on racks: an operation after a pass lasts as long as it does alone", "[system][training][netreduce]") {
  for (const char* algorithm : {"netreduce", "ring"}) {
    INFO(algorithm);
    RunSpec alone = run_spec(algorithm, first_gpus(4), {1_MiB});
    alone.platform = "rack:4";
    const Tick once = run_one(alone).row.time + 5'000'000;
    // The phase of the accelerator's clock differs.
    const Tick cycle = std::string(algorithm) == "netreduce" ? 3103 : 0;
    for (const int count : {1, 3}) {
      const Tick all = run_one(rack_step("rack:4", algorithm, in_turn(4, 1 << 20, count))).row.time,
                 as_alone = static_cast<Tick>(count) * once;
      CHECK((all <= as_alone + static_cast<Tick>(count) * cycle && as_alone <= all + static_cast<Tick>(count) * cycle));
    }
  }
}

TEST_CASE("steps on racks: a late rank delays all, and senders of NetReduce repeat messages",
          "[system][training][netreduce]") {
  RunSpec spec = rack_step("rack:4", "netreduce", in_turn(4, 1 << 20, 2));
  const Tick prompt = run_one(spec).row.time;
  spec.jobs.front().skew = parse_skew("0us,0us,350us,0us", 4, 1000_ms);
  check_right(spec);
  const ResultRow late = run_one(spec).row;
  CHECK(count_of(late, "nic.timeouts") >= 3 * 3);
  CHECK(late.time > prompt + 350'000'000);
  spec.jobs.front().skew = parse_skew("20us", 4, 1000_ms);
  check_right(spec);
  RunSpec ring = rack_step("rack:4", "ring", in_turn(4, 1 << 20, 2));
  const Tick all = run_one(ring).row.time;
  ring.jobs.front().skew = parse_skew("0us,0us,350us,0us", 4, 1000_ms);
  check_right(ring);
  CHECK(run_one(ring).row.time < all + 350'100'000);
  CHECK(count_of(run_one(ring).row, "nic.timeouts") == 0);
}

TEST_CASE("steps on racks: a host that never begins is reported with the waits of the others",
          "[system][training][netreduce]") {
  RunSpec spec = rack_step("rack:4", "ring", in_turn(4, 4096, 2));
  spec.jobs.front().withheld_rank = 3;
  Session session(spec);
  const ResultRow row = session.run(0).front();
  CHECK(row.status == Status::no_progress);
  CHECK_THAT(row.report, Contains("operations: queue 0: task") && Contains("tasks: "));
}

TEST_CASE("steps on racks: steps that hosts do not support are refused in a line", "[system][training][netreduce]") {
  CHECK(refusal(rack_step("rack:8x2", "ring", miniature(20'000))) ==
        "--fidelity full: hosts of several GPUs execute no tasks; legal: rack:H, spine_leaf:RxH, or --fidelity isolated");
  CHECK(refusal(rack_step("rack:16", "ring", miniature(20'000, 1, Issue::pipelined))) ==
        "--fidelity full: a host has one operation at a time; legal: comm.issue=serial and comm.queues=1, or --fidelity "
        "isolated");
  CHECK(refusal(rack_step("rack:16", "ring", two_stages(20'000, 2))) ==
        "--fidelity full: a host has one operation at a time, and would wait for receives; legal: --fidelity isolated");
}

}  // namespace tributary::test_training_racks
