// A Chakra trace of ResNet-50 under DDP, compared with Tributary's own step.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <tuple>

#include "testbench/test/harness/chakra_writer.h"
#include "testbench/workload/training/read/read_graph.h"
#include "testbench/workload/training/train_step.h"

namespace tributary::test_chakra_ddp {

using namespace tributary::training;
using Writer = ChakraWriter;
using chakra_nodes::collective;
using chakra_nodes::host;

namespace {

/// Returns the reductions of a graph (collective, bytes, type) in task order; each waits only for compute.
std::vector<std::tuple<std::string, std::uint64_t, ElementType>> reductions(const TaskGraph& graph) {
  std::vector<std::tuple<std::string, std::uint64_t, ElementType>> all;
  for (const Task& task : graph.tasks) {
    if (task.kind != TaskKind::collective || task.transfer.collective != "allreduce") continue;
    CHECK(graph.groups[task.group].ranks.size() == static_cast<std::size_t>(graph.ranks));
    for (TaskId before : task.after) CHECK(graph.tasks[before].kind != TaskKind::collective);
    all.emplace_back(task.transfer.collective, task.transfer.bytes, task.transfer.type);
  }
  return all;
}

TaskGraph own_resnet50(int ranks) {
  TrainParams params;
  params.comm.mode = Mode::bucket;
  return train_step(params, ranks, "ring", 1).graph;
}

}  // namespace

// Sizes as recorded by PyTorch in the trace below.
TEST_CASE("a Chakra trace of ResNet-50 under DDP has the same all-reduces as Tributary's step", "[pure][training]") {
  Writer writer;
  std::uint64_t id = 1;
  for (const std::int64_t bytes : {8196000, 31502336, 26255360, 26550272, 9724160}) {
    writer.add({id, "backward" + std::to_string(id), 4, 1000, {}, {}, {Writer::flag("is_cpu_op", false)}});
    if (id > 1) writer.add(host(id + 2, 1, {id - 3}));
    writer.add(collective(id + 1, 0, bytes, {id}));
    id += 3;
  }
  ReadOptions options;
  options.ranks = 4;
  const auto ours = reductions(own_resnet50(4));
  CHECK(ours.size() == 5);
  CHECK(reductions(read_graph_text(writer.bytes(), "FILE", options)) == ours);
}

// The trace belongs to the feeder's test in mlcommons/chakra (tests/data/chakra.0.et, Apache-2.0) and is not distributed
// with Tributary.
TEST_CASE("the trace of ResNet-50 recorded by PyTorch (TRIBUTARY_CHAKRA_TRACE) has the same reductions as Tributary's step",
          "[pure][training]") {
  const char* const path = std::getenv("TRIBUTARY_CHAKRA_TRACE");
  if (path == nullptr) {
    WARN("skipped: TRIBUTARY_CHAKRA_TRACE does not name chakra.0.et of mlcommons/chakra");
    return;
  }
  ReadOptions options;
  options.ranks = 4;
  const TaskGraph graph = read_graph(path, options);
  CHECK(graph.tasks.size() == 3664);
  Tick computing = 0;
  std::size_t on_gpu = 0;
  for (const Task& task : graph.tasks) {
    if (task.kind == TaskKind::compute) ++on_gpu, computing += task.work.time;
    if (task.kind == TaskKind::collective) ++on_gpu;
  }
  CHECK(on_gpu == 1216);
  CHECK(computing <= Tick{329'543'000'000});  // compute and its communication
  CHECK(reductions(graph) == reductions(own_resnet50(4)));
}

}  // namespace tributary::test_chakra_ddp
