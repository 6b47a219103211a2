#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <numeric>
#include <set>

#include "testbench/run/training/isolated_groups.h"
#include "testbench/test/harness/model_layers.h"
#include "testbench/workload/input_error.h"
#include "testbench/workload/training/graph_check.h"
#include "testbench/workload/training/graph_size.h"
#include "testbench/workload/training/ideal_run.h"
#include "testbench/workload/training/model_parallel.h"
#include "testbench/workload/training/step_report.h"

namespace tributary::test_rank_classes {

using namespace tributary::training;
using Catch::Matchers::Contains;

namespace {

struct Case {
  std::string name;
  std::function<void(ModelParallelSpec&)> change;
};

/// Two blocks over 2 x 2 x 4 ranks, with one change each.
const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"tensor, pipeline and replicas", [](ModelParallelSpec&) {}},
      {"no pipeline", [](ModelParallelSpec& s) { s.degrees.pipeline = 1; }},
      {"no tensor parallel ranks", [](ModelParallelSpec& s) { s.degrees.tensor = 1; }},
      {"one replica", [](ModelParallelSpec& s) { s.replicas = 1; }},
      {"four stages", [](ModelParallelSpec& s) { s.degrees.pipeline = 4; }},
      {"interleaved", [](ModelParallelSpec& s) { s.virtual_stages = 2; }},
      {"sequence", [](ModelParallelSpec& s) { s.sequence = true; }},
      {"two queues of gradients", [](ModelParallelSpec& s) { s.queues = 2, s.plan.mode = Mode::layer_wise; }},
      {"pipelined", [](ModelParallelSpec& s) { s.issue = Issue::pipelined; }},
      {"priority", [](ModelParallelSpec& s) { s.priority = true; }},
      {"recomputation", [](ModelParallelSpec& s) { s.recompute = Recompute::full; }},
      {"optimizer state in parts", [](ModelParallelSpec& s) { s.sharding = Sharding::optimizer, s.update_shards = true; }},
      {"parameters in parts",
       [](ModelParallelSpec& s) { s.sharding = Sharding::all, s.update_shards = true, s.plan.mode = Mode::layer_wise; }},
      {"experts",
       [](ModelParallelSpec& s) {
         s.degrees.expert = 2;
         for (PartLayer& layer : s.layers) layer.chosen = 1;
       }},
      {"weights of two stages",
       [](ModelParallelSpec& s) { s.layers.back().step.tensors = {}, s.layers.back().step.shares = 0; }}};
  return all;
}

ModelParallelSpec spec_of(const Case& c) {
  ModelParallelSpec spec = blocks(2);
  spec.degrees.tensor = 2, spec.degrees.pipeline = 2, spec.replicas = 4, spec.micro_batches = 4, spec.iterations = 2;
  spec.update = [](std::uint64_t parameters) { return static_cast<Tick>(1 + parameters / 100); };
  c.change(spec);
  return spec;
}

TaskGraph of_classes(ModelParallelSpec spec) {
  spec.classes = true;
  return model_parallel(spec);
}

/// Times that differ by kind and size, so that operations of unlike queues overlap and wait.
IdealOptions unlike_times() {
  IdealOptions options;
  options.transfer = [](const Task& task) {
    const Tick base = task.kind == TaskKind::send ? 3 : task.form == Form::data ? 17 : 7;
    return TransferTime{base + static_cast<Tick>(task.transfer.bytes / 97), base / 2, 0};
  };
  return options;
}

std::vector<Tick> times_of(const IterationReport& i) {
  std::vector<Tick> times{i.begin, i.end, i.compute, i.optimizer, i.exposed, i.idle, i.active, i.overlap};
  times.insert(times.end(), i.exposed_of.begin(), i.exposed_of.end());
  return times;
}

using Groups = std::set<IsolatedGroups::Ranks>;

/// Returns the groups that run concurrently with each kind of transfer of rank 0.
std::map<std::string, Groups> concurrent(const TaskGraph& graph) {
  const IsolatedGroups groups(graph);
  std::map<std::string, Groups> found;
  for (const Task& task : graph.tasks) {
    if (!IsolatedGroups::moves(graph, task)) continue;
    const IsolatedGroups::Ranks members = IsolatedGroups::members_of(graph, task);
    if (members.front() != 0) continue;
    const auto& set = groups.sets()[groups.place(IsolatedGroups::key_of(task)).set];
    found[task.name + " " + std::to_string(task.transfer.bytes) + " " + std::to_string(members.back())].insert(set.begin(),
                                                                                                               set.end());
  }
  return found;
}

}  // namespace

TEST_CASE("ranks in classes: one rank of each stage has the times of all, to the picosecond", "[pure]") {
  for (const Case& c : cases()) {
    INFO(c.name);
    const TaskGraph all = model_parallel(spec_of(c)), few = of_classes(spec_of(c));
    CHECK_NOTHROW(check(few));
    CHECK(few.ranks == all.ranks);
    CHECK(few.representatives.size() == spec_of(c).degrees.pipeline);
    const IdealRun full = ideal_run(all, unlike_times()), run = ideal_run(few, unlike_times());
    CHECK(run.instances.size() < full.instances.size());
    CHECK(run.end == full.end);
    const StepReport a = report(all, full), b = report(few, run);
    CHECK(b.rank == a.rank);
    REQUIRE(b.iterations.size() == a.iterations.size());
    for (std::size_t k = 0; k < a.iterations.size(); ++k) CHECK(times_of(b.iterations[k]) == times_of(a.iterations[k]));
    CHECK(b.operations.size() == a.operations.size());
    CHECK(b.path.size() == a.path.size());
  }
}

TEST_CASE("ranks in classes: the size of the graph of all ranks is known beforehand", "[pure]") {
  for (const Case& c : cases()) {
    INFO(c.name);
    const TaskGraph all = model_parallel(spec_of(c));
    const GraphSize size = size_of_all(of_classes(spec_of(c)));
    CHECK(size.tasks == all.tasks.size());
    CHECK(size.instances == Instances(all).size());
    CHECK(size_of_all(all).tasks == all.tasks.size());
  }
}

TEST_CASE("ranks in classes: transfers are measured with the same groups as those of all ranks", "[pure]") {
  for (const Case& c : cases()) {
    INFO(c.name);
    CHECK(concurrent(of_classes(spec_of(c))) == concurrent(model_parallel(spec_of(c))));
  }
}

TEST_CASE("ranks in classes: the groups of a rank are those of its stage", "[pure]") {
  const TaskGraph graph = of_classes(spec_of(cases().front()));
  const auto group = [&](const std::string& name) { return graph.groups[graph.group_of(name)]; };
  CHECK(graph.representatives == std::vector<int>{0, 8});
  CHECK(group("tp0").ranks == std::vector<int>{0, 1});
  CHECK(group("tp0").shifts == std::vector<int>{2, 4, 6});
  CHECK(group("dp2").ranks == std::vector<int>{8, 10, 12, 14});
  CHECK(group("dp2").shifts == std::vector<int>{1});
  CHECK(group("move0_8").shifts == std::vector<int>{1, 2, 3, 4, 5, 6, 7});
}

TEST_CASE("ranks in classes: a task must have a rank that represents others", "[pure]") {
  TaskGraph graph(4);
  graph.representatives = {0};
  Task task;
  task.name = "lost", task.rank = 2;
  graph.add(task);
  CHECK_THROWS_WITH(check(graph), Contains("'lost'") && Contains("on no rank that represents others"));
}

TEST_CASE("equal groups: time and memory of the search are linear in the ranks", "[pure]") {
  // 16384 ranks in 2048 groups: pairs of groups would be 4 million, each with 8 ranks.
  constexpr int ranks = 16384, members = 8;
  TaskGraph graph(ranks);
  for (int first = 0; first < ranks; first += members) {
    std::vector<int> group(members);
    std::iota(group.begin(), group.end(), first);
    const GroupId id = graph.add_group("tp" + std::to_string(first / members), std::move(group));
    for (int layer = 0; layer < 4; ++layer) {
      Task task;
      task.name = "sum", task.kind = TaskKind::collective, task.group = id, task.layer = layer;
      task.transfer.collective = "allreduce", task.transfer.bytes = 1024;
      graph.add(task);
    }
  }
  const IsolatedGroups groups(graph);
  CHECK(groups.sets().size() == 1);
  CHECK(groups.sets().front().size() == ranks / members);
}

TEST_CASE("parts of an iteration: transfers count by their form, in one order where several wait", "[pure]") {
  TaskGraph graph(2);
  const auto sum = [&](Form form, std::uint32_t queue, std::uint64_t bytes, std::vector<TaskId> after) {
    Task task;
    task.name = "sum", task.kind = TaskKind::collective, task.queue = queue, task.form = form;
    task.transfer.collective = "allreduce", task.transfer.bytes = bytes;
    task.after = std::move(after);
    return graph.add(task);
  };
  const auto compute = [&](std::vector<TaskId> after) {
    Task task;
    task.name = "work", task.work = Work::of_time(100);
    task.after = std::move(after);
    return graph.add(task);
  };
  const TaskId first = compute({});
  const TaskId data = sum(Form::data, 1, 50, {first}), tensor = sum(Form::tensor, 0, 20, {first});
  compute({tensor, data});
  IdealOptions options;
  options.sharing = Sharing::none;
  options.transfer = [](const Task& task) { return TransferTime{static_cast<Tick>(task.transfer.bytes), 0, 0}; };
  const IterationReport r = report(graph, ideal_run(graph, options)).iterations.front();
  CHECK(r.time() == 250);
  CHECK(r.exposed == 50);
  CHECK(r.exposed_of[index_of(Form::tensor)] == 20);
  CHECK(r.exposed_of[index_of(Form::data)] == 30);
  CHECK(r.exposed_of[index_of(Form::none)] == 0);
}

}  // namespace tributary::test_rank_classes
