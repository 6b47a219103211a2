#include "testbench/test/harness/small_machine.h"

#include <stdexcept>

#include "modules/link/link_protocol.h"
#include "testbench/family/nvswitch/algorithms.h"
#include "testbench/run/resolve.h"
#include "testbench/workload/buffers.h"
#include "testbench/workload/reference_data.h"

namespace tributary {
namespace {

using topology::Graph;
using topology::NodeKind;

int as_int(unsigned n) { return static_cast<int>(n); }

void add_gpus(Graph& g, unsigned groups, unsigned gpus, unsigned planes) {
  for (unsigned i = 0; i < groups * gpus; ++i)
    g.add_node({NodeKind::gpu, "gpu" + std::to_string(i), as_int(planes), as_int(i / gpus), -1, as_int(i)});
}

void join_gpus(Graph& g, unsigned groups, unsigned gpus, unsigned planes) {
  for (unsigned i = 0; i < groups * gpus; ++i)
    for (unsigned k = 0; k < planes; ++k)
      g.connect({as_int(i), as_int(k)}, {as_int(groups * gpus + i / gpus * planes + k), as_int(i % gpus)});
}

}  // namespace

Machine two_boards(unsigned gpus, unsigned planes, unsigned trunks) {
  Graph g;
  add_gpus(g, 2, gpus, planes);
  for (unsigned b = 0; b < 2; ++b)
    for (unsigned k = 0; k < planes; ++k)
      g.add_node({NodeKind::switch_node, "switch" + std::to_string(b) + "_" + std::to_string(k), as_int(gpus + trunks),
                  as_int(b), as_int(k), as_int(b * planes + k)});
  join_gpus(g, 2, gpus, planes);
  for (unsigned k = 0; k < planes; ++k)
    for (unsigned j = 0; j < trunks; ++j)
      g.connect({as_int(2 * gpus + k), as_int(gpus + j)}, {as_int(2 * gpus + planes + k), as_int(gpus + j)});
  return {"two_boards", "", g, {planes, 2, gpus + trunks, trunks}, {}};
}

Machine one_board(unsigned gpus, unsigned planes) {
  Graph g;
  add_gpus(g, 1, gpus, planes);
  for (unsigned k = 0; k < planes; ++k)
    g.add_node({NodeKind::switch_node, "switch0_" + std::to_string(k), as_int(gpus), 0, as_int(k), as_int(k)});
  join_gpus(g, 1, gpus, planes);
  return {"one_board", "", g, {planes, 1, gpus, 1}, {}};
}

Machine leaf_spine(unsigned leaves, unsigned gpus, unsigned planes, unsigned spines) {
  Graph g;
  add_gpus(g, leaves, gpus, planes);
  if (gpus + spines != leaves) throw std::invalid_argument("all switches of a machine have the same number of ports");
  const auto add_switch = [&](const std::string& name, int group, unsigned plane, unsigned index) {
    g.add_node({NodeKind::switch_node, name, as_int(leaves), group, as_int(plane), as_int(index)});
  };
  for (unsigned l = 0; l < leaves; ++l)
    for (unsigned k = 0; k < planes; ++k)
      add_switch("leaf" + std::to_string(l) + "_" + std::to_string(k), as_int(l), k, l * planes + k);
  for (unsigned k = 0; k < planes; ++k)
    for (unsigned j = 0; j < spines; ++j)
      add_switch("spine" + std::to_string(j) + "_" + std::to_string(k), topology::no_group, k,
                 leaves * planes + k * spines + j);
  join_gpus(g, leaves, gpus, planes);
  const unsigned first_leaf = leaves * gpus, first_spine = first_leaf + leaves * planes;
  for (unsigned l = 0; l < leaves; ++l)
    for (unsigned k = 0; k < planes; ++k)
      for (unsigned j = 0; j < spines; ++j)
        g.connect({as_int(first_leaf + l * planes + k), as_int(gpus + j)},
                  {as_int(first_spine + k * spines + j), as_int(l)});
  return {"leaf_spine", "", g, {planes, leaves + spines, leaves, spines, spines}, {}};
}

SmallSystem::SmallSystem(const std::string& name, const Machine& machine, RunSpec s, const ReductionTableFactory& make_table,
                         const GpuParts& gpu_parts, const CrossbarArbiterFactory& make_arbiter)
    : spec(std::move(s)),
      params(resolve_parameters(spec).of<NvSwitchPlatformParams>()),
      system(name.c_str(), machine,
             {params,
              spec.seed,
              spec.data != DataMode::none,
              spec.mode == SimulationMode::windowed,
              false,
              spec.faults,
              {},
              make_table,
              make_nvswitch_port,
              gpu_parts,
              {},
              false,
              make_arbiter},
             completion),
      fabric(system) {
  system.describe(probes);
}

void SmallSystem::run(Bytes message, std::uint64_t seed, std::uint64_t data_seed, const std::vector<Tick>& skew) {
  system.reset();
  system.reseed(seed);
  fabric.clear();
  Lowered lowered = lower(spec.jobs[0], message, params, fabric);
  std::vector<GpuProgram>& operations = lowered.operations;
  completion.expect(operations.size());
  t0 = kernel_now() + params.gpu.doorbell_latency.value;
  system.begin(t0);
  const workload::DataSpec data{spec.jobs[0].type,
                                spec.data == DataMode::random ? workload::Values::random : workload::Values::exact,
                                data_seed, spec.jobs[0].op};
  const auto gpu_of = [this](int rank) -> Gpu& {
    return system.gpu(static_cast<unsigned>(spec.jobs[0].ranks[static_cast<std::size_t>(rank)]));
  };
  const auto memory_of = [&](int rank) { return gpu_of(rank).memory().data(); };
  const auto ranks = static_cast<int>(operations.size());
  for (int r = 0; r < ranks; ++r) gpu_of(r).memory().resize(lowered.memory_bytes);
  fill_buffers(spec.jobs[0], message, data, memory_of);
  for (int r = 0; r < ranks; ++r) {
    const auto i = static_cast<std::size_t>(r);
    gpu_of(r).post(std::move(operations[i]), t0 + (i < skew.size() ? skew[i] : 0));
  }
  sc_core::sc_start();  // until no event is left
  const auto require = [&](bool holds, const std::string& what) {
    if (!holds) throw std::runtime_error("seed " + std::to_string(seed) + ": " + what);
  };
  std::string waiting;
  for (const std::string& line : system.waiting()) waiting += "\n  " + line;
  require(completion.all_done(), "not all ranks are done" + waiting);
  require(waiting.empty(), "not all is quiet" + waiting);
  require(system.live_packets() == 0, "packets are left over");
  require(count_wrong(results_of(spec.jobs[0], message), data, memory_of) == 0, "wrong elements");
}

}  // namespace tributary
