#include "testbench/family/nvswitch/resolve.h"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <vector>

#include "modules/protocol/nvlink.h"
#include "modules/streams/core/channel_engine.h"
#include "platforms/nvswitch/automatic.h"
#include "testbench/codegen/nvls_plan.h"
#include "testbench/family/nvswitch/algorithms.h"
#include "testbench/family/nvswitch/nccl_plans.h"
#include "testbench/family/nvswitch/p2p_plans.h"
#include "testbench/family/nvswitch/step_lowering.h"
#include "testbench/run/errors.h"
#include "testbench/workload/step_operations.h"

namespace tributary {
namespace {

bool pulls(const JobSpec& job) { return nvswitch_algorithm(job).reduces == Reduces::in_flight; }
bool pushes(const JobSpec& job) { return nvswitch_algorithm(job).reduces == Reduces::at_home_ports; }

void check_algorithm(const RunSpec& spec, const JobSpec& job) {
  try {
    nvswitch_algorithm(job);
  } catch (const std::invalid_argument&) {
    throw SetupError(spec.platform.name() + " has no algorithm " + job.algorithm + " of " + job.collective);
  }
}

/// Checks that requests of several queues can share the wave counters.
void check_queues(const NvSwitchPlatformParams& p, const JobSpec& job, std::uint32_t queues) {
  const std::string full = "--fidelity full: several queues ";
  if (nvswitch_algorithm(job).schedule != nullptr) return;  // commands run as a whole when they become ready
  if (p.gpu.initiator == Initiator::cores || p.gpu.dma.counter_lookup == CounterLookup::id ||
      (pulls(job) && p.pull.segmentation == PullSegmentation::requests))
    throw SetupError(full + "share wave counters by address; legal: comm.queues=1, or nvswitch.gpu.initiator=dma, " +
                     "nvswitch.gpu.dma.counter_lookup=address and nvswitch.pull.segmentation=waves");
  if (*p.gpu.dma.waves != 0 && *p.gpu.dma.waves < queues)
    throw SetupError(full + "need a wave counter each; legal: nvswitch.gpu.dma.waves of at least " + std::to_string(queues));
}

/// Checks that one program of a GPU can hold the step.
void check_step(const NvSwitchPlatformParams& p, const JobSpec& job) {
  const std::vector<JobSpec> operations = operations_of(job);
  for (const JobStep::Part& part : job.step->operations)
    if (part.send && runs_in_stages(operation_of(job, part)))
      throw SetupError("--fidelity full: a GPU receives by commands of software, not by " + part.algorithm +
                       "; legal: --algorithm ring, or --fidelity isolated");
  std::map<int, std::size_t> members;  // by GPU
  for (const JobSpec& one : operations) {
    if (!has_steps(one))
      throw SetupError("--fidelity full: no GPU has several operations of " + one.algorithm + " in one program; legal: " +
                       "--algorithm push, pull or a schedule of software, or --fidelity isolated");
    if (runs_in_stages(one) != runs_in_stages(operations.front()))
      throw SetupError("--fidelity full: " + operations.front().collective + " by " + operations.front().algorithm +
                       " and " + one.collective + " by " + one.algorithm +
                       ": a GPU's program is of switches or of software; legal: --algorithm ring, or --fidelity isolated");
    if (job.step->queues > 1) check_queues(p, one, job.step->queues);
    for (const int gpu : one.ranks)
      if (runs_in_stages(one) && members.emplace(gpu, one.ranks.size()).first->second != one.ranks.size())
        throw SetupError(
            "--fidelity full: gpu" + std::to_string(gpu) + " is in groups of " + std::to_string(members[gpu]) + " and of " +
            std::to_string(one.ranks.size()) +
            " ranks, and adds as many operands of every block; legal: groups of one size, --algorithm ring, or " +
            "--fidelity isolated");
  }
}

void check_job(const NvSwitchPlatformParams& p, const JobSpec& job) {
  if (p.acks == AckMode::none && nvswitch_algorithm(job).schedule != nullptr && p.ring.sync == RingSync::fence)
    throw SetupError(
        "nvswitch.ring.sync=fence waits for acks, but nvswitch.acks=none; legal: nvswitch.ring.sync=counted, or "
        "nvswitch.acks=separate");
  if (p.acks == AckMode::none && pulls(job) && p.pull.wave_done == PullWaveDone::ack)
    throw SetupError(
        "nvswitch.pull.wave_done=ack waits for acks, but nvswitch.acks=none; legal: nvswitch.pull.wave_done=response, or "
        "nvswitch.acks=separate");
  if (pushes(job) && p.switches.reduction_table.trunk_bytes == 0_B)
    throw SetupError(
        "nvswitch.switch.reduction_table.trunk_bytes=0B, but push has home ports on trunks too; legal: at least 128B, "
        "or --algorithm pull");
  const std::uint64_t members = job.ranks.empty() ? 1 : job.ranks.size(),
                      others = nvswitch_algorithm(job).kernels ? members : members - 1;
  const ReductionTableParams& table = p.switches.reduction_table;
  if (pulls(job) && table.order == ReductionOrder::rank && table.bytes->value < others * block_bytes)
    throw SetupError("nvswitch.switch.reduction_table.order=rank keeps the operands of a pull apart, which " +
                     to_string(*table.bytes) + " cannot hold; legal: nvswitch.switch.reduction_table.bytes of at least " +
                     to_string(bytes(others * block_bytes)));
}

bool has_channels(const JobSpec& job) { return nvswitch_algorithm(job).channels; }

/// Limits the slices of a message, because the steps and their proof are kept for all of them.
void check_slices(const JobSpec& job, const NcclParams& nccl) {
  constexpr std::uint64_t most = 200'000;
  for (const WorkItem& item : job.items)
    if (item.size.value * job.back_to_back / nccl.slot.value > most)
      throw SetupError("nvswitch.nccl.slot: " + to_string(nccl.slot) + " cut " + to_string(item.size) + " into more than " +
                       std::to_string(most) + " slices (legal: a slot of at least " +
                       to_string(bytes((item.size.value / most / block_bytes + 1) * block_bytes)) + ")");
}

/// NCCL 2.4 has trees for small messages, whose channels have one kernel.
void check_kernels(const JobSpec& job, const NvSwitchPlatformParams& p) {
  if (job.back_to_back > 1 && has_channels(job) && p.nccl.version == nccl::Version::v2_4)
    throw SetupError(
        "--back-to-back: channels of NCCL 2.4 run one kernel (legal: nvswitch.nccl.version=2.21, 2.27 or 2.29)");
}

/// Refuses a forced algorithm or protocol that NCCL does not have for the collective.
void check_nccl(const JobSpec& job, const NvSwitchPlatformParams& p) {
  try {
    for (const WorkItem& item : job.items) nccl_use(job, item.size, p), p2p_use(job, item.size, p);
  } catch (const std::exception& error) {
    throw SetupError(error.what());
  }
}

/// Each NVLink has one ring of NCCL 2.4, and then all rings are doubled (p2p.cu). Channels of one link share its rate.
void resolve_channels(NvSwitchPlatformParams& p, const Machine& machine) {
  const topology::Graph& graph = machine.graph;
  const auto links = static_cast<std::uint32_t>(graph.node(graph.gpus().front()).ports);
  std::optional<std::uint32_t>& channels = p.ring_channels.channels;
  if (!channels) channels = std::min(p.stream_engine.nccl.copies * links, ChannelEngine::standard_channels);
  std::optional<Bandwidth>& rate = p.stream_engine.nccl.link_rate;
  const Bandwidth of_link = machine.gpus.channel_rate;
  std::optional<Bytes>& per_thread = p.stream_engine.nccl.low_latency.per_thread;
  if (!per_thread) per_thread = 64_B;
  if (!rate) rate = *channels <= links ? of_link : bytes_per_second(of_link.value * links / *channels);
}

/// Sets copy engines and kernels that are not given, by the kind of the GPUs.
void resolve_streams(NvSwitchPlatformParams& p, const topology::GpuKind& gpus) {
  if (!p.stream_engine.copy.engines) p.stream_engine.copy.engines = gpus.copy_engines;
  if (!p.stream_engine.kernel.rate) p.stream_engine.kernel.rate = gpus.kernel_rate;
  if (!p.stream_engine.kernel.multiprocessors) p.stream_engine.kernel.multiprocessors = gpus.multiprocessors;
}

/// A kernel reads twice and writes once at its rate. Scatter and gather read and write, and load-reduces and stores need two
/// accesses more, so each copy has half of the rate.
void resolve_nvls(NvSwitchPlatformParams& p, const topology::GpuKind& gpus) {
  if (!p.nvls.channels) p.nvls.channels = gpus.nvls_channels;
  if (!p.nvls.peer) p.nvls.peer = gpus.nvls_peer;
  if (!p.nvls.copy_rate) p.nvls.copy_rate = bytes_per_second(p.stream_engine.kernel.rate->value / 2 / *p.nvls.channels);
}

/// Returns the reduction table of a port that holds its share of the load-reduces that all thread blocks of a GPU have in
/// flight, one in each entry.
Bytes nvls_table(const NvSwitchPlatformParams& p, std::uint64_t links, std::size_t ranks) {
  const std::uint64_t loads =
      *p.nvls.channels * nvls_window(p.nvls, static_cast<std::uint32_t>(ranks)) / p.nvls.payload.value;
  return bytes((loads + links - 1) / links * block_bytes);
}

/// Refuses an algorithm that the machine cannot execute. Schedules that do not depend on a plane support any number of
/// ranks.
void check_plane(const RunSpec& spec, const JobSpec& job) {
  const NvSwitchAlgorithm& algorithm = nvswitch_algorithm(job);
  if (algorithm.follows_plane) schedule_of(algorithm, job, bytes(block_bytes), machine(spec.platform));
}

void check_system(const NvSwitchPlatformParams& p) {
  if (p.gpu.dma.counter_lookup == CounterLookup::id && *p.gpu.dma.waves > 256)
    throw SetupError(
        "nvswitch.gpu.dma.counter_lookup=id has 8 bits for the counter's number; legal: nvswitch.gpu.dma.waves of at "
        "most 256");
  if (p.gpu.doorbell_latency < p.link.latency)
    throw SetupError("nvswitch.gpu.doorbell_latency is below the lookahead; legal: at least nvswitch.link.latency (" +
                     to_string(p.link.latency) + ")");
}

}  // namespace

NvSwitchPlatformParams resolve_nvswitch(const RunSpec& spec) {
  for (const JobSpec& job : spec.jobs) check_algorithm(spec, job);
  NvSwitchPlatformParams p = spec.parameters.of<NvSwitchPlatformParams>();
  std::vector<Reduces> operations;
  for (const JobSpec& job : spec.jobs)
    for (const JobSpec& one : operations_of(job)) operations.push_back(nvswitch_algorithm(one).reduces);
  const Machine built = machine(spec.platform);
  if (built.link_rate.value != 0 && p.link.rate == LinkParams{}.rate) p.link.rate = built.link_rate;
  resolve_channels(p, built);
  try {
    resolve_nccl(p, built.gpus.capability, static_cast<unsigned>(built.graph.node(built.graph.gpus().front()).ports));
  } catch (const std::invalid_argument& error) {
    throw SetupError(error.what());
  }
  resolve_streams(p, built.gpus);
  resolve_nvls(p, built.gpus);
  MachineDefaults defaults = built.defaults;
  const auto links = static_cast<std::uint64_t>(built.graph.node(built.graph.gpus().front()).ports);
  for (const JobSpec& job : spec.jobs) {
    check_kernels(job, p);
    if (has_channels(job)) check_nccl(job, p);
    if (!uses_nvls(job, p)) continue;
    operations.push_back(Reduces::in_flight);
    defaults.pull_table = std::max(defaults.pull_table, nvls_table(p, links, job.ranks.size()));
  }
  p = with_automatic_values(p, defaults, operations);
  for (const JobSpec& job : spec.jobs) {
    if (job.step) check_step(p, job);
    for (const JobSpec& one : operations_of(job)) check_job(p, one), check_plane(spec, one);
    if (has_channels(job))
      for (const WorkItem& item : job.items) check_job(p, carried(job, item.size, p));
    if (has_channels(job)) check_slices(job, p.stream_engine.nccl);
  }
  check_system(p);
  return p;
}

std::uint32_t waves_of(const RunSpec& spec, const JobSpec& job) {
  const auto& set = spec.parameters.of<NvSwitchPlatformParams>().gpu.dma.waves;
  if (set) return *set;
  const MachineDefaults d = machine(spec.platform).defaults;
  const std::vector<JobSpec> operations = operations_of(job);
  return std::all_of(operations.begin(), operations.end(), pulls) ? d.pull_waves : d.push_waves;
}

}  // namespace tributary
