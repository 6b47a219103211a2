#pragma once
/// Miniatures of training steps that devices carry out, for tests.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "modules/base/index.h"
#include "testbench/run/training/step_run.h"
#include "testbench/test/harness/forked_run.h"
#include "testbench/test/harness/network_specs.h"
#include "testbench/test/harness/run_specs.h"
#include "testbench/workload/training/data_parallel.h"

namespace tributary::training {

inline constexpr int step_ranks = 16;

/// The rows of ResNet-50 with at least 1 Ki weights, weights / 1024; a pass of a layer lasts `time`.
inline TaskGraph miniature(Tick time, int iterations = 1, Issue issue = Issue::serial) {
  DataParallelSpec spec;
  spec.ranks = step_ranks;
  const std::vector<std::uint64_t> weights{9,   4,   36,  16,  16,  16,  36,  16,  32,   144,  64,   128,  64,   144,  64,
                                           128, 576, 256, 512, 256, 576, 256, 512, 2304, 1024, 2048, 1024, 2304, 1024, 2000};
  for (std::size_t l = 0; l < weights.size(); ++l)
    spec.layers.push_back(
        {"layer" + std::to_string(l), {weights[l]}, Work::of_time(time), Work::of_time(time), Work::of_time(time), -1});
  spec.iterations = iterations;
  spec.issue = issue;
  return data_parallel(spec);
}

/// Ranks in rows and columns of four. In each of six layers, each row has an all-reduce between two passes, and each
/// column has the collectives `of_columns` in order, concurrent with the next layer. No block or rank divides the
/// sizes.
inline TaskGraph rows_and_columns(Tick time, const std::vector<std::string>& of_columns) {
  constexpr int side = 4;
  TaskGraph graph(side * side);
  std::vector<GroupId> rows, columns;
  for (int k = 0; k < side; ++k) {
    std::vector<int> row, column;
    for (int i = 0; i < side; ++i) row.push_back(side * k + i), column.push_back(side * i + k);
    rows.push_back(graph.add_group("row" + std::to_string(k), row));
    columns.push_back(graph.add_group("column" + std::to_string(k), column));
  }
  std::vector<TaskId> before;
  const auto add = [&](const std::string& name, TaskKind kind, GroupId group, std::vector<TaskId> after) {
    training::Task task;
    task.name = name, task.kind = kind, task.group = group, task.after = std::move(after);
    if (kind == TaskKind::compute) task.work = Work::of_time(time);
    return graph.add(std::move(task));
  };
  for (std::uint64_t layer = 0; layer < 6; ++layer) {
    const TaskId first = add("first", TaskKind::compute, 0, before);
    before.clear();
    for (const GroupId row : rows) {
      before.push_back(add("row", TaskKind::collective, row, {first}));
      graph.tasks.back().transfer.collective = "allreduce", graph.tasks.back().transfer.bytes = 4 * (1001 + 3000 * layer);
    }
    before = {add("second", TaskKind::compute, 0, before)};
    for (const GroupId column : columns) {
      std::vector<TaskId> after = before;
      for (const std::string& collective : of_columns) {
        after = {add(collective, TaskKind::collective, column, after)};
        graph.tasks.back().transfer.collective = collective, graph.tasks.back().transfer.bytes = 4 * (777 + 2000 * layer);
      }
    }
  }
  return graph;
}

/// Two stages of eight ranks each and `micro_batches` micro-batches, forward to the second stage and backward to the
/// first in the order of 1F1B, with an all-reduce of each stage at the end.
inline TaskGraph two_stages(Tick time, int micro_batches) {
  constexpr int side = 8;
  TaskGraph graph(2 * side);
  std::vector<GroupId> stages;
  for (int s = 0; s < 2; ++s) {
    std::vector<int> members;
    for (int i = 0; i < side; ++i) members.push_back(side * s + i);
    stages.push_back(graph.add_group("stage" + std::to_string(s), members));
  }
  std::vector<std::vector<TaskId>> last(2 * side);  // by rank
  const auto add = [&](const std::string& name, TaskKind kind, int rank, std::vector<TaskId> after) {
    training::Task task;
    task.name = name, task.kind = kind, task.rank = rank, task.after = std::move(after);
    if (kind == TaskKind::compute) task.work = Work::of_time(time);
    return graph.add(std::move(task));
  };
  const auto move = [&](int from, int to, TaskId computed, std::uint32_t tag) {
    add("send", TaskKind::send, from, {computed});
    graph.tasks.back().transfer.peer = to, graph.tasks.back().transfer.tag = tag, graph.tasks.back().transfer.bytes = 54'324;
    const TaskId received = add("receive", TaskKind::receive, to, {});
    graph.tasks.back().transfer.peer = from, graph.tasks.back().transfer.tag = tag,
    graph.tasks.back().transfer.bytes = 54'324;
    return received;
  };
  for (int i = 0; i < side; ++i) {
    std::vector<TaskId> received;
    for (int m = 0; m < micro_batches; ++m)
      received.push_back(move(i, side + i, add("forward", TaskKind::compute, i, {}), 0));
    for (int m = 0; m < micro_batches; ++m) {
      const TaskId forward = add("forward", TaskKind::compute, side + i, {received[at(m)]});
      const TaskId backward = add("backward", TaskKind::compute, side + i, {forward});
      last[at(side + i)] = {backward};
      last[at(i)] = {add("backward", TaskKind::compute, i, {move(side + i, i, backward, 1)})};
    }
  }
  for (int s = 0; s < 2; ++s) {
    std::vector<TaskId> after;
    for (int i = 0; i < side; ++i) after.insert(after.end(), last[at(side * s + i)].begin(), last[at(side * s + i)].end());
    training::Task task;
    task.name = "gradients", task.kind = TaskKind::collective, task.group = stages[at(s)], task.after = after;
    task.transfer.collective = "allreduce", task.transfer.bytes = 400'004;
    graph.add(task);
  }
  return graph;
}

/// Every collective by one algorithm, which adds no time to that of its packets.
inline AlgorithmOf by(const std::string& algorithm) {
  return [algorithm](const training::Task&, const std::vector<int>&) { return OperationAlgorithm{algorithm}; };
}

/// The step of this graph, instead of the messages of `spec`.
inline RunSpec with_step(RunSpec spec, const TaskGraph& graph, const AlgorithmOf& algorithm_of,
                         const Stragglers& stragglers = {}) {
  spec = with_hashes(std::move(spec));
  const DeviceStep made = device_step(graph, spec.jobs.front().type, algorithm_of, stragglers);
  spec.jobs.front().step = std::make_shared<const JobStep>(made.step);
  spec.jobs.front().items = {{"step", bytes(made.step.bytes())}};
  return spec;
}
/// As with_step(), on another platform.
inline RunSpec step_on(RunSpec spec, const std::string& platform, const TaskGraph& graph, const AlgorithmOf& algorithm_of,
                       const Stragglers& stragglers = {}) {
  spec.platform = platform;
  return with_step(std::move(spec), graph, algorithm_of, stragglers);
}

/// A step on a DGX-2 or on a network.
inline RunSpec step_spec(const std::string& algorithm, const TaskGraph& graph, const Stragglers& stragglers = {},
                         const std::string& platform = "", const AlgorithmOf& algorithm_of = {}) {
  RunSpec spec = platform.empty() ? run_spec(algorithm, first_gpus(step_ranks), {128_B})
                                  : network_spec(platform, "allreduce", algorithm, {128_B});
  return with_step(std::move(spec), graph, algorithm_of ? algorithm_of : by(algorithm), stragglers);
}

/// Checks that no element is wrong and that both modes agree.
inline void check_right(RunSpec spec) {
  const Run windowed = run_one(spec);
  CHECK(windowed.row.status == Status::done);
  CHECK(windowed.row.wrong == 0u);
  spec.mode = SimulationMode::event;
  CHECK(difference(windowed, run_one(spec)) == "");
}
inline void check_right(const std::string& algorithm, const TaskGraph& graph, const Stragglers& stragglers = {},
                        const std::string& platform = "") {
  check_right(step_spec(algorithm, graph, stragglers, platform));
}

}  // namespace tributary::training
