#include <catch2/catch.hpp>

#include "testbench/workload/input_error.h"
#include "testbench/workload/training/compute/task_times.h"

namespace tributary::test_task_times {

using namespace tributary::training;
using Catch::Matchers::Contains;

namespace {

TaskGraph graph_of(const Work& work) {
  TaskGraph graph(2);
  Task task;
  task.name = "work", task.work = work;
  graph.add(task);
  Task mark;
  mark.kind = TaskKind::mark, mark.delay = 5;
  graph.add(mark);
  return graph;
}

Tick time_of(const Work& work, const ComputeParams& params) {
  TaskGraph graph = graph_of(work);
  give_times(graph, params);
  CHECK(graph.tasks[0].work.kind == Work::Kind::time);
  CHECK(graph.tasks[1].delay == 5);
  return graph.tasks[0].work.time;
}

}  // namespace

TEST_CASE("task times: memory-bound tasks stay marked", "[pure]") {
  ComputeParams params;
  params.roofline.peak = {100e12};
  const auto bound = [&](const Work& work) {
    TaskGraph graph = graph_of(work);
    give_times(graph, params);
    return graph.tasks[0].work.memory_bound;
  };
  CHECK_FALSE(bound(Work::of_roofline(1'000'000'000'000, 4'500'000'000)));
  CHECK(bound(Work::of_roofline(1'000'000'000, 9'000'000'000)));
  CHECK(bound(Work::of_time(5, true)));
  CHECK_FALSE(bound(Work::of_time(5)));
  params.scale = 2;
  CHECK(bound(Work::of_time(5, true)));
}

TEST_CASE("task times: operations and bytes use the roofline, products use cycles or operations", "[pure]") {
  ComputeParams params;
  params.roofline.peak = {100e12};
  params.roofline.launch = Time{0};
  CHECK(time_of(Work::of_roofline(1'000'000'000'000, 4'500'000'000), params) == 10'000'000'000);  // 10 ms, 5 ms of memory
  CHECK(time_of(Work::of_roofline(1'000'000'000, 9'000'000'000), params) == 10'000'000'000);      // memory bound
  // 20 x 9 x 10 on one array of 4 x 4, separate folds: 5 x 3 folds of 9 + 4 + 4 - 2 cycles of 1 ns (SCALE-Sim v2).
  params.arrays = 1;
  params.systolic.array = {4, 4};
  params.systolic.fold = Fold::separate;
  CHECK(time_of(Work::of_gemm(20, 10, 9), params) == 225'000);
  params.arrays = 4;  // 5 rows each: 2 x 3 folds
  CHECK(time_of(Work::of_gemm(20, 10, 9), params) == 90'000);
  params.model = ComputeModel::roofline;
  CHECK(time_of(Work::of_gemm(1000, 1000, 50000), params) == 1'000'000'000);  // 1e11 operations
  params.scale = 0.5;
  CHECK(time_of(Work::of_gemm(1000, 1000, 50000), params) == 500'000'000);
  CHECK(time_of(Work::of_time(7'000), params) == 3'500);
}

TEST_CASE("task times: a time that is too long is rejected with its task", "[pure]") {
  ComputeParams params;
  TaskGraph graph = graph_of(Work::of_time(2));
  params.scale = 1e15;
  CHECK_THROWS_WITH(give_times(graph, params), Contains("'work' (task 0)") && Contains("1000 s"));
  params.scale = 1;
  graph = graph_of(Work::of_gemm(std::uint64_t{1} << 41, 1, 1));
  CHECK_THROWS_WITH(give_times(graph, params), Contains("'work' (task 0)") && Contains("2^40"));
}

}  // namespace tributary::test_task_times
