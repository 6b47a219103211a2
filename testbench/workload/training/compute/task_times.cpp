#include "testbench/workload/training/compute/task_times.h"

#include <cmath>

#include "modules/base/host/wide.h"
#include "testbench/workload/input_error.h"
#include "testbench/workload/training/compute/systolic.h"
#include "testbench/workload/training/compute/times.h"

namespace tributary::training {
namespace {

constexpr std::uint64_t most = std::uint64_t{1} << 40;  // limit of rows, columns and length, as for a layer's products

Tick time_of(const Gemm& gemm, Pass pass, const ComputeParams& p) {
  if (gemm.rows > most || gemm.columns > most || gemm.length > most)
    throw InputError("a product of more than 2^40 rows, columns or terms (legal: up to that)");
  if (p.model == ComputeModel::roofline) {
    const Wide operations = Wide{2} * gemm.rows * gemm.columns * gemm.length;
    if (operations > ~std::uint64_t{0}) throw InputError("more than 2^64 operations (legal: fewer)");
    return kernel_time({static_cast<std::uint64_t>(operations), 0}, p.roofline) + p.roofline.launch.value;
  }
  if (p.systolic.fold == Fold::pipelined && p.systolic.dataflow != Dataflow::output_stationary)
    throw InputError("compute.fold=pipelined requires compute.dataflow=output_stationary (legal: compute.fold=separate)");
  const Gemm part{(gemm.rows + p.arrays - 1) / p.arrays, gemm.columns, gemm.length};
  const bool gradient = pass == Pass::input_gradient || pass == Pass::weight_gradient;
  const std::uint64_t cycles = p.systolic.fold == Fold::separate
                                   ? separate_cycles(p.systolic.dataflow, part, p.systolic.array)
                                   : pipelined_cycles(part, p.systolic.array, part.length, gradient);
  const Wide time = Wide{cycles} * p.clock.value;
  if (time > longest_pass) throw InputError("a task of more than 1000 s (legal: up to 1000 s)");
  return static_cast<Tick>(time);
}

Tick time_of(const Task& task, const ComputeParams& p) {
  const Work& work = task.work;
  if (work.kind == Work::Kind::roofline) return kernel_time({work.flop, work.bytes}, p.roofline) + p.roofline.launch.value;
  if (work.kind == Work::Kind::gemm) return time_of(Gemm{work.rows, work.columns, work.length}, task.pass, p);
  return work.time;
}

}  // namespace

void give_times(TaskGraph& graph, const ComputeParams& params) {
  for (TaskId t = 0; t < graph.tasks.size(); ++t) {
    Task& task = graph.tasks[t];
    if (!on_engine(task.kind)) continue;
    try {
      const Work& work = task.work;
      const bool by_memory =
          work.memory_bound || (work.kind == Work::Kind::roofline && memory_bound({work.flop, work.bytes}, params.roofline));
      Tick time = time_of(task, params);
      if (params.scale != 1) {
        const double ps = static_cast<double>(time) * params.scale;
        if (!(ps <= static_cast<double>(longest_pass))) throw InputError("a task of more than 1000 s (legal: up to 1000 s)");
        time = static_cast<Tick>(std::llround(ps));
      }
      task.work = Work::of_time(time, by_memory);
    } catch (const InputError& error) {
      throw InputError(name_of(graph, t) + ": " + error.what());
    }
  }
}

}  // namespace tributary::training
