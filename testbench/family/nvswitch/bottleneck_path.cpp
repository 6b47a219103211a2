#include "testbench/family/nvswitch/bottleneck_path.h"
#include "testbench/codegen/channel_protocol.h"
#include "testbench/codegen/nvls_plan.h"
#include "testbench/codegen/p2p_lowering.h"

#include <algorithm>
#include <cmath>

#include "modules/protocol/nvlink.h"
#include "modules/streams/core/host_launcher.h"
#include "platforms/nvswitch/blocks.h"
#include "testbench/family/nvswitch/algorithms.h"
#include "testbench/family/nvswitch/nccl_plans.h"
#include "testbench/family/nvswitch/p2p_plans.h"
#include "testbench/family/nvswitch/schedule_path.h"
#include "testbench/run/stream_bottlenecks.h"
#include "testbench/workload/job_group.h"

namespace tributary {
namespace {

constexpr const char* arbitration = "nvswitch.switch.crossbar.arbitration";
constexpr double packet_bytes = NvLink::max_packet_flits * NvLink::flit_bytes;

double per_ps(Bandwidth rate) { return static_cast<double>(rate.value) * 1e-12; }

/// Number of times that the critical path of a run crosses each part.
struct Crossings {
  double switches = 0, links = 0, reads = 0, tables = 0;
  double sums = 0;  ///< sums that return to the crossbar
};

/// Between the most distant GPUs a packet crosses `far` links, and one switch less.
Crossings crossings_of(const JobSpec& job, double far, const NvSwitchPlatformParams& p) {
  const NvSwitchAlgorithm& algorithm = nvswitch_algorithm(job);
  const Crossings there{far - 1, far, 1};
  const Collective& moves = collective_of(job.collective);
  if (algorithm.reduces == Reduces::at_home_ports)
    return {2 * far - 3, 2 * far - 2, 1, 1, 1};  // to the port's switch, and from it
  if (algorithm.reduces == Reduces::in_gpus) return there;
  const double routes = moves.passes == 2 || moves.signals() ? 3 : 2;  // request, responses, and the multicast of the sum
  Crossings pull{routes * (far - 1), routes * far, 1, far - 1};
  if (moves.passes != 2 || !p.pull.barrier) return pull;
  const bool flags = p.pull.barrier_kind == BarrierKind::flags;
  pull.switches += (flags ? 1 : routes) * (far - 1), pull.links += (flags ? 1 : routes) * far;
  pull.reads += flags ? 0 : 1;
  pull.tables += flags ? 0 : far - 1;
  return pull;
}

/// Returns the chain of commands that ends last; empty for a schedule whose chain takes long to find.
std::vector<PathPart> path_of_schedule(const BottleneckInput& in, const RunSpec& spec, const JobSpec& job,
                                       const NvSwitchPlatformParams& p) {
  constexpr std::size_t most_operations = 50'000;
  const Machine& at = machine(spec.platform);
  const SizedSchedule sized = schedule_of(nvswitch_algorithm(job), job, bytes(in.row.size_bytes), at);
  std::size_t operations = 0;
  for (const auto& program : sized.schedule.programs) operations += program.size();
  if (operations > most_operations) return {};
  return schedule_path(sized, gpus_of(job, group_of(job)), at, p);
}

/// Returns the path of channels that follow a protocol of NCCL 2.21 or later. A chain up and down has as many steps as a
/// ring.
std::vector<PathPart> protocol_path(const char* name, const ProtocolParams& protocol, double steps) {
  const std::string group = std::string("nvswitch.") + name;
  return {{group + ".base", static_cast<double>(protocol.base.value)},
          {group + ".hop", steps * static_cast<double>(protocol.hop->value)}};
}

/// Returns the path of rings of channels, or of trees for small sums: each step reads its data once and crosses the links of
/// a mean packet.
std::vector<PathPart> path_of_channels(const BottleneckInput& in, const JobSpec& job, const NvSwitchPlatformParams& p) {
  const NcclParams& nccl = p.stream_engine.nccl;
  const Bytes message = bytes(in.row.size_bytes);
  if (by_p2p(job.collective)) {
    const std::optional<P2pUse> sends = p2p_use(job, message, p);
    return sends ? protocol_path(p2p_times(*sends, p).group, p.nccl.of(sends->protocol), 1) : std::vector<PathPart>{};
  }
  const bool trees = collective_of(job.collective).passes == 2 && message < p.ring_channels.trees_below;
  const std::size_t channels = *p.ring_channels.channels;
  const ChannelUse use =
      trees ? on_trees(channels) : ChannelUse{channels, chunks_of_loop(job.collective, job.ranks.size()), false};
  const double steps = trees ? 2 * std::ceil(std::log2(static_cast<double>(job.ranks.size()))) : ring_steps(job);
  const double links = mean_links(in.row, "gpu");
  if (const std::optional<NcclUse> tuned = nccl_use(job, message, p))
    return protocol_path(channel_times(*tuned, p).group, protocol_of(*tuned, p), ring_steps(job));
  std::vector<PathPart> parts =
      channel_path("nvswitch", steps, carries_flags(nccl.low_latency, use, message), nccl, &HopTimes::nvlink);
  const auto add = [&](const char* parameter, double crossed, Time time) {
    parts.push_back({parameter, steps * crossed * static_cast<double>(time.value)});
  };
  add("nvswitch.switch.latency", links - 1, p.switches.latency);
  if (p.switches.crossbar.arbitration != 0_ns) add(arbitration, links - 1, p.switches.crossbar.arbitration);
  add("nvswitch.link.latency", links, p.link.latency);
  add("nvswitch.gpu.memory.latency", 1, p.gpu.memory.latency);
  add("nvswitch.gpu.memory.jitter", 0.5, p.gpu.memory.jitter);
  return parts;
}

/// Returns the path of kernels of a host, one after another: the last rank is launched last.
std::vector<PathPart> of_kernels(std::vector<PathPart> path, const JobSpec& job, const NvSwitchPlatformParams& p) {
  for (PathPart& part : path) part.time *= job.back_to_back;
  const auto ranks = static_cast<unsigned>(job.ranks.size());
  const Tick launched = HostLauncher(p.host, ranks).launched(ranks - 1, 0);
  if (launched > 0) path.push_back({"nvswitch.host.launch_time", static_cast<double>(launched)});
  return path;
}

/// Returns the path of thread blocks of NVLS: launch, flags of all loops, the copies of the first and of the last loop, and
/// the way of the last one: flags of its operands, load-reduce and sum, store and ack, flag of the sum.
std::vector<PathPart> path_of_kernels(const BottleneckInput& in, const JobSpec& job, double far,
                                      const NvSwitchPlatformParams& p) {
  constexpr double routes = 6;
  const auto ranks = static_cast<std::uint32_t>(job.ranks.size());
  const std::uint64_t chunk = p.nvls.chunk ? p.nvls.chunk->value : nvls_chunk(in.row.size_bytes, ranks, *p.nvls.channels);
  const double channels = *p.nvls.channels, loop = channels * ranks * static_cast<double>(chunk),
               message = static_cast<double>(in.row.size_bytes);
  std::vector<PathPart> path{
      {"nvswitch.nvls.base", static_cast<double>(p.nvls.base.value)},
      {"nvswitch.nvls.peer", std::ceil(message / loop) * ranks * static_cast<double>(p.nvls.peer->value)},
      {"nvswitch.switch.latency", routes * (far - 1) * static_cast<double>(p.switches.latency.value)},
      {"nvswitch.link.latency", routes * far * static_cast<double>(p.link.latency.value)},
      {"nvswitch.gpu.memory.latency", static_cast<double>(p.gpu.memory.latency.value)},
      {"nvswitch.gpu.memory.jitter", static_cast<double>(p.gpu.memory.jitter.value)}};
  if (!p.nvls.registered && p.nvls.copy_rate->value != 0)
    path.push_back({"nvswitch.nvls.copy_rate", 2 * std::min(loop, message) / channels / per_ps(*p.nvls.copy_rate)});
  return path;
}

}  // namespace

std::vector<PathPart> nvswitch_path(const BottleneckInput& in, const RunSpec& spec, double far,
                                    const NvSwitchPlatformParams& p) {
  const JobSpec job = carried(spec.jobs.front(), bytes(in.row.size_bytes), p);
  const NvSwitchAlgorithm& algorithm = nvswitch_algorithm(job);
  const StreamEngineParams& engine = p.stream_engine;
  if (algorithm.channels) return of_kernels(path_of_channels(in, job, p), job, p);
  if (algorithm.streams != nullptr) return stream_path("nvswitch", job, {engine.streams, engine.copy, engine.kernel});
  if (algorithm.schedule != nullptr) return path_of_schedule(in, spec, job, p);
  if (algorithm.kernels) return of_kernels(path_of_kernels(in, job, far, p), job, p);
  const Crossings c = crossings_of(job, far, p);
  std::vector<PathPart> path{{"nvswitch.switch.latency", c.switches * static_cast<double>(p.switches.latency.value)},
                             {"nvswitch.gpu.memory.latency", c.reads * static_cast<double>(p.gpu.memory.latency.value)},
                             {"nvswitch.gpu.memory.jitter", c.reads * static_cast<double>(p.gpu.memory.jitter.value)},
                             {"nvswitch.link.latency", c.links * static_cast<double>(p.link.latency.value)},
                             {"nvswitch.link.rate", (c.links * NvLink::flit_bytes + packet_bytes) / per_ps(p.link.rate)}};
  if (spec.blocks.find(reduction_table_slot) != nullptr) return path;  // the adders are those of a plugin
  if (const double added = c.tables * p.switches.reduction_table.add_cycles; added > 0)
    path.push_back({"nvswitch.switch.reduction_table.add_cycles", added * NvLink::flit_bytes / per_ps(p.link.rate)});
  if (const Time each = p.switches.crossbar.arbitration; each != 0_ns)
    path.push_back({arbitration, (c.switches + c.sums) * static_cast<double>(each.value)});
  return path;
}

}  // namespace tributary
