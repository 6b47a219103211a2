#include "testbench/family/nvswitch/algorithms.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "platforms/topology/plane.h"
#include "testbench/collective/algorithm/network_schedule.h"
#include "testbench/collective/algorithm/software.h"
#include "testbench/collective/schedule/pipelining.h"
#include "testbench/family/nvswitch/collective_bound.h"
#include "testbench/family/nvswitch/nvls_lowering.h"
#include "testbench/family/nvswitch/schedule_lowering.h"
#include "testbench/family/nvswitch/stage_lowering.h"
#include "testbench/family/nvswitch/stream_lowering.h"
#include "testbench/interchange/msccl/import.h"
#include "testbench/run/errors.h"
#include "testbench/workload/job_group.h"
#include "testbench/workload/memory_layout.h"

namespace tributary {
namespace {

using collective::BoundInput;
using Row = NvSwitchAlgorithm;

// ---- lowering

template <std::vector<GpuProgram> (StageLowering::*stages)()>
Lowered in_stages(const Row&, const LowerInput& in) {
  StageLowering lowering(in);
  std::vector<GpuProgram> operations = (lowering.*stages)();
  return {std::move(operations), lowering.memory_bytes(), lowering.barrier_bytes()};
}

Lowered in_commands(const Row& algorithm, const LowerInput& in) {
  return lower_schedule(in.job, in.message, schedule_of(algorithm, in.job, in.message, in.fabric.machine()), in.fabric);
}

Lowered in_blocks(const Row&, const LowerInput& in) { return lower_nvls(in); }

Lowered in_streams(const Row& algorithm, const LowerInput& in) {
  return lower_streams(in.job, algorithm.streams(in.job, in.message, in.params), in.fabric);
}

// ---- streams

using collective::TreeUse;

template <TreeUse use>
GpuStreams blink(const JobSpec& job, Bytes message, const NvSwitchPlatformParams& params) {
  return tree_streams(job, message, use, params);
}
template <bool trees_below>
GpuStreams channels_of_nccl(const JobSpec& job, Bytes message, const NvSwitchPlatformParams& params) {
  return nccl_channels(job, message, trees_below, params);
}

// ---- schedules

collective::Schedule software(const Row& algorithm, const JobSpec& job, Bytes message, const Machine&) {
  return collective::find_software(algorithm.collective, algorithm.name)
      ->build({static_cast<int>(group_of(job).size()), root_of_group(job), message.value});
}

collective::Schedule on_plane(const Row& algorithm, const JobSpec& job, Bytes, const Machine& machine) {
  try {
    const topology::Network plane = topology::plane(machine.name, machine.graph);
    std::vector<int> gpus = gpus_of(job, group_of(job));
    for (int& gpu : gpus) gpu %= static_cast<int>(machine.graph.gpus().size());  // in one of several equal machines
    return collective::network_schedule(plane, {algorithm.collective, algorithm.name, gpus}).schedule;
  } catch (const collective::ScheduleError& error) {
    throw SetupError(error.what());
  }
}

/// Returns the pipelined schedule of a plane. A root adds the parts that have arrived while others are in flight; otherwise
/// the ranks fall out of step between the two phases.
collective::Schedule on_plane_pipelined(const Row& algorithm, const JobSpec& job, Bytes message, const Machine& machine) {
  const collective::Schedule schedule = on_plane(algorithm, job, message, machine);
  return pipelined(schedule, plane_slices(static_cast<std::size_t>(schedule.ranks),
                                          message.value / static_cast<std::uint64_t>(schedule.chunks)));
}

collective::Schedule from_file(const Row&, const JobSpec& job, Bytes, const Machine&) {
  return msccl::schedule_of(job, group_of(job).size());
}

// ---- bounds

template <double (*bound)(const BoundInput&)>
double of_message(const Row&, const BoundInput& in, const JobSpec&, Bytes, const Machine&) {
  return bound(in);
}
template <double (*bound)(const BoundInput&, int root)>
double of_root(const Row&, const BoundInput& in, const JobSpec& job, Bytes, const Machine&) {
  return bound(in, root_of_group(job));
}
template <double (*bound)(const BoundInput&, const collective::Parts&)>
double of_parts(const Row&, const BoundInput& in, const JobSpec& job, Bytes message, const Machine&) {
  return bound(in, parts_of(job, message));
}
double of_schedule(const Row& algorithm, const BoundInput& in, const JobSpec& job, Bytes message, const Machine& machine) {
  const SizedSchedule sized = schedule_of(algorithm, job, message, machine);
  return collective::schedule_bound_GBps(in, sized.schedule, sized.chunk_bytes);
}

// ---- results of barriers

std::vector<int> all_ranks(const JobSpec& job) {
  std::vector<int> all(job.ranks.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// Returns the sum of all packets, at address 0.
std::vector<OperandRange> sum_of_packets(const JobSpec& job, Bytes message) {
  return {{all_ranks(job), 0, message.value, 0, all_ranks(job)}};
}
/// Returns the sum of each rank's packets, in its block.
std::vector<OperandRange> sums_of_packets(const JobSpec& job, Bytes message) {
  std::vector<OperandRange> ranges;
  for (std::uint64_t i = 0; i < job.ranks.size(); ++i)
    ranges.push_back(
        {all_ranks(job), i * block_bytes, message.value, i * block_bytes / element_size(job.type), all_ranks(job)});
  return ranges;
}

// ---- the table

Row software_algorithm(const char* collective, const char* name, const char* about, Row::Bound bound = of_schedule) {
  return {collective, name, about, Reduces::in_gpus, in_commands, bound, software};
}

/// Makes the row of an algorithm whose schedule depends on a plane of the machine.
Row plane_algorithm(const char* collective, const char* name, const char* about, Row::Schedule schedule = on_plane) {
  return {collective, name, about, Reduces::in_gpus, in_commands, of_schedule, schedule, true};
}

Row stream_algorithm(const char* collective, const char* name, const char* about, Row::Streams streams, bool channels) {
  return {collective, name, about, Reduces::in_gpus, in_streams, nullptr, nullptr, false, nullptr, streams, channels};
}
Row nvls_algorithm(const char* collective, const char* about, Reduces reduces, Row::Bound bound) {
  Row row{collective, "nvls", about, reduces, in_blocks, bound};
  row.kernels = true;
  return row;
}
template <TreeUse use>
Row blink_algorithm(const char* collective, const char* about) {
  return stream_algorithm(collective, "blink", about, blink<use>, false);
}
Row nccl_algorithm(const char* collective, const char* about, Row::Streams streams = channels_of_nccl<false>) {
  return stream_algorithm(collective, "nccl", about, streams, true);
}

}  // namespace

const std::vector<NvSwitchAlgorithm>& nvswitch_algorithms() {
  using S = StageLowering;
  namespace b = collective;
  const char* const pipeline = "software: chunks go from rank to rank in a pipeline";
  const char* const trees = "software: two pipelined binary trees, each rank inner in at most one";
  const char* const replicate = "the root writes to a multicast region, the switches replicate";
  constexpr auto gpus = Reduces::in_gpus, push = Reduces::at_home_ports, pull = Reduces::in_flight;
  static const std::vector<Row> all{
      {"allreduce", "push", "GPUs write operands to their home port's reduction table, which multicasts the result", push,
       in_stages<&S::push>, of_message<b::push_bound_GBps>},
      {"allreduce", "pull", "each GPU loads its share through reducing switches, and multicasts it", pull,
       in_stages<&S::pull>, of_message<b::pull_bound_GBps>},
      nvls_algorithm("allreduce",
                     "kernels of the GPUs load their share through reducing switches, and multicast it, in loops", pull,
                     of_message<b::nvls_bound_GBps>),
      software_algorithm("allreduce", "ring",
                         "software baseline: reduce-scatter and all-gather between neighbours, through mailboxes",
                         of_message<b::ring_bound_GBps>),
      software_algorithm("allreduce", "double_binary_tree",
                         "software: two pipelined binary trees, up and down, each rank inner in at most one"),
      software_algorithm("allreduce", "halving_doubling", "software: exchanges of halves at distance 1, 2, 4 ..., and back"),
      software_algorithm("allreduce", "star", "software: all to the first rank, which sends the sum to all"),
      plane_algorithm("allreduce", "multitree",
                      "software: up, then down a tree of each rank; all trees grow together on one plane, in steps",
                      on_plane_pipelined),
      plane_algorithm("allreduce", "hdrm",
                      "software: exchanges of halves, in each with the other switch (BiGraph, dgx2: all its GPUs)"),
      blink_algorithm<TreeUse::allreduce>("allreduce", "streams: up and down trees of one hop, each GPU the root of one"),
      nccl_algorithm("allreduce", "channels: rings, small messages up and down two binary trees", channels_of_nccl<true>),
      {"broadcast", "multicast", replicate, gpus, in_stages<&S::broadcast>, of_root<b::broadcast_bound_GBps>},
      software_algorithm("broadcast", "ring", pipeline),
      software_algorithm("broadcast", "double_binary_tree", trees),
      blink_algorithm<TreeUse::broadcast>("broadcast", "streams: down trees of two hops, one through each other GPU"),
      nccl_algorithm("broadcast", "channels: along rings"),
      {"multicast", "multicast", replicate, gpus, in_stages<&S::broadcast>, of_root<b::broadcast_bound_GBps>},
      software_algorithm("multicast", "ring", pipeline),
      software_algorithm("multicast", "double_binary_tree", trees),
      {"reduce", "push", "GPUs write operands to their home port's reduction table, which sends the result to the root",
       push, in_stages<&S::push_to_root>, of_root<b::reduce_push_bound_GBps>},
      {"reduce", "pull", "the root loads the message through reducing switches", pull, in_stages<&S::pull_by_root>,
       of_root<b::reduce_pull_bound_GBps>},
      software_algorithm("reduce", "ring", pipeline),
      software_algorithm("reduce", "double_binary_tree", trees),
      blink_algorithm<TreeUse::reduce>("reduce", "streams: up trees of two hops, one through each other GPU"),
      nccl_algorithm("reduce", "channels: along rings"),
      {"reduce_scatter", "pull", "each GPU loads its part through reducing switches", pull, in_stages<&S::reduce_scatter>,
       of_parts<b::reduce_scatter_pull_bound_GBps>},
      nvls_algorithm("reduce_scatter", "kernels of the GPUs load their part through reducing switches, in loops", pull,
                     of_message<b::nvls_reduce_scatter_bound_GBps>),
      software_algorithm("reduce_scatter", "ring", "software: parts go round between neighbours, and grow"),
      plane_algorithm("reduce_scatter", "multitree", "software: parts go up a tree of each rank, and grow"),
      blink_algorithm<TreeUse::reduce_scatter>("reduce_scatter", "streams: each GPU adds up its part"),
      nccl_algorithm("reduce_scatter", "channels: parts go round rings, and grow"),
      {"allgather", "multicast", "each GPU writes its part to a multicast region", gpus, in_stages<&S::allgather>,
       of_parts<b::allgather_multicast_bound_GBps>},
      nvls_algorithm("allgather", "kernels of the GPUs write their part to a multicast region, in loops", gpus,
                     of_message<b::nvls_allgather_bound_GBps>),
      software_algorithm("allgather", "ring", "software: parts go round between neighbours"),
      plane_algorithm("allgather", "multitree", "software: parts go down a tree of each rank"),
      blink_algorithm<TreeUse::allgather>("allgather", "streams: each GPU copies its part to the others"),
      nccl_algorithm("allgather", "channels: parts go round rings"),
      software_algorithm("gather", "direct", "software: every rank writes its part to the root"),
      blink_algorithm<TreeUse::gather>("gather", "streams: every GPU copies its part to the root"),
      software_algorithm("alltoall", "direct", "software: in step s every rank writes to the s-th after it"),
      plane_algorithm("alltoall", "multitree", "software: down a tree of each rank, in its steps"),
      nccl_algorithm("alltoall", "channels: groups of warps send to and receive from all ranks at once", nccl_sends),
      software_algorithm("sendrecv", "direct", "software: every rank writes its message to the next one"),
      nccl_algorithm("sendrecv", "channels: groups of warps send to the next rank and receive from the one before",
                     nccl_sends),
      {"barrier", "push", "a push all-reduce of one packet", push, in_stages<&S::push>, of_message<b::push_bound_GBps>,
       nullptr, false, sum_of_packets},
      {"barrier", "pull", "a pull all-reduce of one packet of each GPU", pull, in_stages<&S::pull_barrier>,
       of_message<b::barrier_pull_bound_GBps>, nullptr, false, sums_of_packets},
      {"barrier", "multicast", "each GPU multicasts a flag, and waits for the others'", gpus, in_stages<&S::flag_barrier>,
       of_message<b::barrier_multicast_bound_GBps>},
      software_algorithm("barrier", "dissemination", "software: flags to the ranks at distance 1, 2, 4 ..."),
  };
  return all;
}

const NvSwitchAlgorithm& nvswitch_algorithm(const JobSpec& job) {
  static const NvSwitchAlgorithm file{
      "any", "msccl:FILE", "software: the schedule of an MSCCL file", Reduces::in_gpus, in_commands, of_schedule, from_file};
  if (msccl::names_file(job.algorithm)) return file;
  for (const NvSwitchAlgorithm& m : nvswitch_algorithms())
    if (m.collective == job.collective && m.name == job.algorithm) return m;
  throw std::invalid_argument("there is no algorithm " + job.algorithm + " of " + job.collective);
}

int plane_slices(std::size_t ranks, std::uint64_t chunk_bytes) {
  constexpr std::uint64_t slice_bytes = 16 * 1024, pairs = 16 * 64 * 64;
  const std::uint64_t most = std::clamp<std::uint64_t>(pairs / (ranks * ranks), 1, 16);
  return static_cast<int>(std::clamp<std::uint64_t>(chunk_bytes / slice_bytes, 1, most));
}

SizedSchedule schedule_of(const NvSwitchAlgorithm& algorithm, const JobSpec& job, Bytes message, const Machine& machine) {
  return sized(algorithm.schedule(algorithm, job, message, machine), job, message);
}

Lowered lower(const JobSpec& job, Bytes message, const NvSwitchPlatformParams& params, FabricManager& fabric) {
  const NvSwitchAlgorithm& algorithm = nvswitch_algorithm(job);
  return algorithm.lower(algorithm, {job, message, params, fabric});
}

std::vector<OperandRange> results_of(const JobSpec& job, Bytes message) {
  const NvSwitchAlgorithm& algorithm = nvswitch_algorithm(job);
  return algorithm.results ? algorithm.results(job, message) : collective_of(job.collective).result(job, message);
}

}  // namespace tributary
