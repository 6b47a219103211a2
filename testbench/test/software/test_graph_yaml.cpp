// Task graphs in Tributary's YAML form.
#include <catch2/catch.hpp>
#include <sstream>

#include "testbench/test/harness/graph_equality.h"
#include "testbench/workload/input_error.h"
#include "testbench/workload/training/read/graph_yaml.h"

namespace tributary::test_graph_yaml {

using namespace tributary::training;
using Catch::Matchers::Contains;
using Catch::Matchers::Equals;
using training::Task;  // not the work item of a run

namespace {

std::string written(const TaskGraph& graph) {
  std::ostringstream out;
  write_graph_yaml(graph, out);
  return out.str();
}

std::string refusal(const std::string& text) {
  try {
    read_graph_yaml(text, "FILE");
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

/// Reads a graph of four ranks with this task only.
std::string refused_task(const std::string& task) {
  return refusal("training_graph: 1\nranks: 4\ntasks:\n  - " + task + "\n");
}

Task named(const std::string& name, TaskKind kind) {
  Task task;
  task.name = name;
  task.kind = kind;
  return task;
}

}  // namespace

TEST_CASE("a written task graph is read back unchanged", "[pure][training]") {
  TaskGraph graph(8);
  graph.iterations = 3;
  graph.compute_order = Order::priority;
  graph.comm_order = Order::ready;
  graph.issue = Issue::pipelined;
  graph.credit = 4'000'000;
  graph.samples = 640;
  graph.tokens = true;
  graph.layers = {"conv1", "null", "a: {b}, \"c\" \\ # \n", "\xc3\xa9",
                  "\xc2\x85 \xe2\x80\xa8 \xe2\x80\xa9"};  // line breaks in YAML
  graph.add_group("dp 0", {0, 1, 2, 5, 7, 6});
  Task compute = named("fwd \"conv1\"", TaskKind::compute);
  compute.work = Work::of_time(1'234'567'890'123, true);
  compute.layer = 0;
  compute.pass = Pass::forward;
  compute.after = {3, 1};
  graph.add(compute);
  Task flop = named("~", TaskKind::compute);
  flop.work = Work::of_roofline(123'456'789'012'345, 4'500'000'000);
  flop.rank = 3;
  flop.queue = 2;
  graph.add(flop);
  Task gemm = named("", TaskKind::optimizer);
  gemm.work = Work::of_gemm(20, 10, 9);
  gemm.pass = Pass::update;
  gemm.micro_batch = 4;
  gemm.iteration = 2;
  gemm.priority = -7;
  graph.add(gemm);
  Task reduce = named("allreduce", TaskKind::collective);
  reduce.group = 1;
  reduce.transfer.collective = "allreduce";
  reduce.transfer.algorithm = "push";
  reduce.transfer.bytes = 8'196'000;
  reduce.transfer.type = ElementType::bf16;
  reduce.transfer.root = 2;
  reduce.transfer.buffer = BufferRange{4096, 8'196'000};
  graph.add(reduce);
  for (const TaskKind kind : {TaskKind::send, TaskKind::receive}) {
    Task moved = named("p2p", kind);
    moved.rank = kind == TaskKind::send ? 1 : 2;
    moved.transfer.peer = kind == TaskKind::send ? 2 : 1;
    moved.transfer.tag = 0xFFFFFFFF;
    moved.transfer.bytes = 4;
    graph.add(moved);
  }
  Task mark = named("end", TaskKind::mark);
  mark.delay = 5;
  graph.add(mark);

  const std::string text = written(graph);
  const TaskGraph again = read_graph_yaml(text, "FILE");
  CHECK(equal(graph, again));
  CHECK(written(again) == text);
  CHECK(equal(read_graph_yaml(written(TaskGraph(3)), "FILE"), TaskGraph(3)));
}

TEST_CASE("a task graph may define ids and groups after the tasks that use them", "[pure][training]") {
  const TaskGraph graph = read_graph_yaml(
      "# three layers\ntraining_graph: 1\n"
      "tasks:\n"
      "  - {id: reduce, kind: collective, collective: allreduce, bytes: 8MiB, type: f16, group: dp, after: wg}\n"
      "  - id: wg\n    kind: compute\n    time: 2ms\n    after: []\n"
      "  - {kind: mark, after: [reduce, 1]}\n"
      "ranks: 4\ngroups:\n  - {name: dp, ranks: [0-1, 3]}\n",
      "FILE");
  CHECK(graph.ranks == 4);
  REQUIRE(graph.tasks.size() == 3);
  CHECK(graph.groups.at(1).ranks == std::vector<int>{0, 1, 3});
  CHECK(graph.tasks[0].group == 1);
  CHECK(graph.tasks[0].after == std::vector<TaskId>{1});
  CHECK(graph.tasks[0].transfer.bytes == 8u << 20);
  CHECK(graph.tasks[0].transfer.type == ElementType::f16);
  CHECK(graph.tasks[1].work.time == 2'000'000'000);
  CHECK(graph.tasks[2].after == std::vector<TaskId>{0, 1});
  CHECK(graph.tasks[0].name == "reduce");  // id used as name, for reports
  // An equal graph as JSON.
  CHECK(equal(graph, read_graph_yaml(R"({"training_graph": 1, "ranks": 4, "groups": [{"name": "dp", "ranks": [0, 1, 3]}],
    "tasks": [{"name": "reduce", "kind": "collective", "collective": "allreduce", "bytes": "8MiB", "type": "f16", "group": "dp",
    "after": [1]}, {"name": "wg", "kind": "compute", "time": "2ms"}, {"kind": "mark", "after": [0, 1]}]})",
                                     "FILE")));
  CHECK(read_graph_yaml("training_graph: 1\n", "FILE", 16).ranks == 16);
}

TEST_CASE("invalid content of a YAML graph is rejected with its line", "[pure][training]") {
  CHECK_THAT(refused_task("{kind: compute}"), Equals("FILE:4: a task of kind compute without time"));
  CHECK_THAT(refused_task("{time: 1ms}"), Contains("FILE:4: a task without kind (legal: compute, collective, send,"));
  CHECK_THAT(refused_task("{kind: comp, time: 1ms}"), Contains("FILE:4: kind is 'comp' (legal: compute, collective,"));
  CHECK_THAT(refused_task("{kind: compute, time: 1}"), Contains("FILE:4: time is '1' (legal: a time such as"));
  CHECK_THAT(refused_task("{kind: compute, flop: 1}"), Contains("FILE:4: a task of kind compute without bytes"));
  CHECK_THAT(refused_task("{kind: compute, time: 1ms, peer: 1}"), Contains("FILE:4: key 'peer' in a task of kind compute"));
  CHECK_THAT(refused_task("{kind: compute, flop: 1, bytes: 1B, memory_bound: true}"),
             Contains("FILE:4: key 'memory_bound' in a task"));
  CHECK_THAT(refused_task("{kind: compute, tiem: 1ms}"),
             Contains("FILE:4: unknown key of a task 'tiem'; did you mean time?"));
  CHECK_THAT(refused_task("{kind: mark, kind: mark}"), Contains("FILE:4: key 'kind' is given twice"));
  CHECK_THAT(refused_task("{kind: mark, rank: 4}"), Equals("FILE:4: rank is '4' (legal: 0 to 3)"));
  CHECK_THAT(refused_task("{kind: mark, rank: -1}"), Contains("FILE:4: rank is '-1' (legal: a whole number from 0 to"));
  CHECK_THAT(refused_task("{kind: mark, group: dp}"), Contains("FILE:4: unknown group 'dp'"));
  CHECK_THAT(refused_task("{kind: mark, after: [wg]}"), Contains("FILE:4: unknown task 'wg' in after"));
  CHECK_THAT(refused_task("{kind: mark, after: [1]}"), Contains("FILE:4: unknown task '1' in after"));
  CHECK_THAT(refused_task("{kind: mark, id: a}\n  - {kind: mark, id: a}"), Contains("FILE:5: the id 'a' is given twice"));
  CHECK_THAT(refused_task("{kind: send, peer: 1}"), Contains("without bytes"));
  CHECK_THAT(refused_task("{kind: collective, collective: allreduce, bytes: 102B}"),
             Contains("FILE:4: bytes is 102, not a whole number of elements of f32 (legal: a multiple of 4)"));
  CHECK_THAT(refused_task("{kind: send, rank: 0, peer: 1, bytes: 3B, type: f16}"), Contains("a multiple of 2"));
  CHECK_THAT(refused_task("{kind: collective, collective: allreduce, bytes: 4B, buffer: [1]}"),
             Contains("FILE:4: buffer is not a pair"));
  CHECK_THAT(refused_task("just words"), Contains("FILE:4: a task must be a map of keys"));
  CHECK_THAT(refused_task("[1"), Contains("FILE:") && Contains("invalid YAML"));
  CHECK_THAT(refusal("a: 1\n"), Contains("FILE:1: unknown key 'a'"));
  CHECK_THAT(refusal("ranks: 1\n"), Contains("not a training graph: missing key 'training_graph: 1'"));
  CHECK_THAT(refusal("training_graph: 2\n"), Equals("FILE:1: training_graph '2' (legal: 1)"));
  CHECK_THAT(refusal("training_graph: 1\nsamples: 3\ntokens: 3\n"),
             Contains("FILE:3: samples and tokens are both given (legal: one of them)"));
  CHECK_THAT(refusal("training_graph: 1\nranks: 0\n"), Contains("FILE:2: ranks is '0' (legal: a whole number from 1 to"));
  CHECK_THAT(refusal("training_graph: 1\ntasks: 5\n"), Contains("FILE:2: tasks is not a list"));
  CHECK_THAT(refusal("training_graph: 1\nx: &t [{kind: mark}]\n"), Contains("FILE:2: unknown key 'x'"));
  CHECK_THAT(refusal("training_graph: 1\nlayers: &t [a]\ntasks: *t\n"),
             Contains("FILE:3: tasks is not a list written in this place"));
  CHECK_THAT(refusal("training_graph: 1\ntasks: []\ntasks: []\n"), Contains("FILE:3: key 'tasks' is given twice"));
  CHECK_THAT(refusal("training_graph: 1\n---\n"), Contains("FILE:2: another YAML document"));
  CHECK_THAT(refusal("training_graph: 1\ngroups: [{name: all, ranks: [0]}]\n"), Contains("group 'all' is given twice"));
  CHECK_THAT(refusal("training_graph: 1\ngroups: [{name: a, ranks: [0, 0]}]\n"), Contains("ranks lists 0 twice"));
  CHECK_THAT(refusal("training_graph: 1\ngroups: [{name: a, ranks: [0-1]}]\n"),
             Contains("ranks has '0-1' (legal: ranks from 0 to 0"));
  CHECK_THAT(refusal("training_graph: 1\ngroups: [{name: a}]\n"), Contains("without ranks"));
  try {
    read_graph_yaml("training_graph: 1\nranks: 4\n", "FILE", 8);
    FAIL("accepted");
  } catch (const InputError& error) {
    CHECK_THAT(error.what(), Equals("FILE: the graph has 4 ranks, but the run has 8"));
  }
}

TEST_CASE("a YAML graph of many tasks is read", "[pure][training]") {
  TaskGraph graph(2);
  for (TaskId i = 0; i < 60'000; ++i) {
    Task task = named("layer" + std::to_string(i), TaskKind::compute);
    task.work = Work::of_time(i);
    if (i > 0) task.after = {i - 1};
    graph.add(task);
  }
  CHECK(equal(read_graph_yaml(written(graph), "FILE"), graph));
}

}  // namespace tributary::test_graph_yaml
