/// The bound of a job: its inputs, which do not depend on the algorithm.

#include <algorithm>
#include <vector>

#include "testbench/family/nvswitch/algorithms.h"
#include "testbench/family/nvswitch/collective_bound.h"
#include "testbench/workload/job_group.h"

namespace tributary {
namespace {

/// Sets the links of a GPU, and the maximum number of links from a group to others. If planes differ, the one with the most
/// home switches counts.
void set_links(collective::BoundInput& in, const Machine& machine) {
  const topology::Graph& graph = machine.graph;
  in.plane_switches = static_cast<int>(machine.shape.switches);
  for (const FabricPlane& plane : machine.shape.unlike)
    in.plane_switches = std::max(in.plane_switches, static_cast<int>(plane.ports.size()));
  in.links_per_gpu = graph.node(graph.gpus().front()).ports;
  std::vector<int> out(static_cast<std::size_t>(in.board_count), 0);
  for (const topology::Link& link : graph.links()) {
    const int a = graph.node(link.a.node).group, b = graph.node(link.b.node).group;
    if (a == b) continue;
    for (const int group : {a, b})
      if (group != topology::no_group) ++out[static_cast<std::size_t>(group)];
  }
  in.trunks = std::max(1, *std::max_element(out.begin(), out.end()));
}

}  // namespace

double bound_GBps(const JobSpec& job, Bytes message, const NvSwitchPlatformParams& params, const Machine& machine,
                  const GpuStreams* streams) {
  const topology::Graph& graph = machine.graph;
  collective::BoundInput in;
  in.board_count = topology::group_count(graph);
  set_links(in, machine);
  in.window = *params.gpu.dma.waves == 0 ? message : params.gpu.dma.wave_bytes * *params.gpu.dma.waves;
  for (const int gpu : gpus_of(job, group_of(job)))
    in.boards.push_back(graph.node(graph.gpus().at(static_cast<std::size_t>(gpu))).group);
  in.message = message;
  in.acks = params.acks;
  if (nvswitch_algorithm(job).kernels && params.nvls.merge_acks && in.acks == AckMode::separate) in.acks = AckMode::merged;
  in.link_rate = params.link.rate;
  in.payload = params.nvls.payload;
  const NvSwitchAlgorithm& algorithm = nvswitch_algorithm(job);
  if (streams != nullptr) return collective::streams_bound_GBps(in, job, streams->programs);
  if (algorithm.streams != nullptr)
    return collective::streams_bound_GBps(in, job, algorithm.streams(job, message, params).programs);
  return algorithm.bound(algorithm, in, job, message, machine);
}

}  // namespace tributary
