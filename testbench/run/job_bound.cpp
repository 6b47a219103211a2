#include "testbench/run/job_bound.h"

#include "testbench/collective/algorithm/software.h"
#include "testbench/collective/bound.h"
#include "testbench/collective/collective_bound.h"
#include "testbench/family/nvswitch/schedule_lowering.h"
#include "testbench/run/job_group.h"
#include "testbench/run/memory_layout.h"

namespace tributary {

double bound_GBps(const JobSpec& job, Bytes message, const PlatformParams& params, const Machine& machine) {
  const topology::Graph& graph = machine.graph;
  collective::BoundInput in;
  in.board_count = topology::group_count(graph);
  in.plane_switches = static_cast<int>(machine.shape.switches);
  in.window = *params.gpu.dma.waves == 0 ? message : params.gpu.dma.wave_bytes * *params.gpu.dma.waves;
  for (const int gpu : gpus_of(job, group_of(job)))
    in.boards.push_back(graph.node(graph.gpus().at(static_cast<std::size_t>(gpu))).group);
  in.message = message;
  in.acks = params.acks;
  in.link_rate = params.link.rate;
  const std::string& collective = job.collective;
  if (collective == "allreduce" && job.algorithm == "ring") return collective::ring_bound_GBps(in);
  if (is_schedule(job)) {
    const SizedSchedule sized = schedule_of(job, message, machine);
    return collective::schedule_bound_GBps(in, sized.schedule, sized.chunk_bytes);
  }
  if (collective == "broadcast" || collective == "multicast")
    return collective::broadcast_bound_GBps(in, root_of_group(job));
  if (collective == "allgather") return collective::allgather_multicast_bound_GBps(in, parts_of(job, message));
  if (collective == "reduce")
    return job.algorithm == "push" ? collective::reduce_push_bound_GBps(in, job.root)
                                   : collective::reduce_pull_bound_GBps(in, job.root);
  if (collective == "reduce_scatter") return collective::reduce_scatter_pull_bound_GBps(in, parts_of(job, message));
  if (job.algorithm == "push") return collective::push_bound_GBps(in);
  if (collective == "allreduce") return collective::pull_bound_GBps(in);
  return job.algorithm == "pull" ? collective::barrier_pull_bound_GBps(in) : collective::barrier_multicast_bound_GBps(in);
}

double bus_factor(const JobSpec& job) {
  const auto n = static_cast<double>(job.ranks.size());
  if (job.collective == "allreduce") return 2 * (n - 1) / n;
  const collective::Chunking chunking = collective::chunking_of(job.collective);
  const bool own_part_stays = chunking == collective::Chunking::parts || chunking == collective::Chunking::pairs;
  return own_part_stays ? (n - 1) / n : 1;
}

}  // namespace tributary
