#include "testbench/run/resolve.h"

#include <algorithm>
#include <map>

#include "modules/link/core/link_retransmission.h"
#include "modules/nvswitch/nvswitch.h"
#include "modules/protocol/nvlink.h"
#include "platforms/catalog.h"
#include "platforms/platform_parameter_set.h"
#include "platforms/topology/network.h"
#include "testbench/collective/algorithm/network_schedule.h"
#include "testbench/family/nvswitch/schedule_lowering.h"
#include "testbench/run/session.h"
#include "testbench/run/task.h"
#include "testbench/workload/value_stream.h"

namespace tributary {
namespace {

constexpr std::size_t most_jobs = 64;

Bytes flits(unsigned n) { return bytes(std::uint64_t{n} * flit_bytes); }

/// What a platform does not have is not to be set in vain.
void check_parameters(const std::string& platform, PlatformParams& params) {
  const ParameterSet set = parameter_set(params);
  for (const ParameterField& field : set.fields())
    if (!field.is_default() && !has_parameter(platform, field.path))
      throw SetupError(field.path + " is set, which " + platform + " does not have; legal: " +
                       (is_network(platform) ? "network.* and watchdog.*" : "all but network.*"));
}

void check_jobs(const RunSpec& spec) {
  const bool network = is_network(spec.platform);
  std::map<int, std::size_t> job_of;
  const std::vector<const JobSpec*> jobs = jobs_of(spec);
  if (jobs.size() > most_jobs)
    throw SetupError(std::to_string(jobs.size()) + " jobs at once; legal: at most " + std::to_string(most_jobs));
  for (std::size_t j = 0; j < jobs.size(); ++j)
    for (const int end : jobs[j]->ranks) {
      const auto [other, first] = job_of.emplace(end, j);
      if (!first && other->second != j)
        throw SetupError("jobs " + std::to_string(other->second) + " and " + std::to_string(j) + " both take " +
                         (network ? "nic" : "gpu") + std::to_string(end) + "; legal: jobs at once on " +
                         (network ? "nodes" : "GPUs") + " of their own (ranks)");
    }
}

/// What can be added up for comparison (docs/data.md, Limits).
void check_sums(const RunSpec& spec, const JobSpec& job) {
  const bool reduces = job.collective == "allreduce" || job.collective == "reduce" || job.collective == "reduce_scatter";
  if (!reduces || spec.data == DataMode::none) return;
  if (job.ranks.size() > static_cast<std::size_t>(workload::max_ranks))
    throw SetupError("results of " + std::to_string(job.ranks.size()) + " ranks cannot be checked; legal: at most " +
                     std::to_string(workload::max_ranks) + " ranks, or --no-data");
  if (job.type == ElementType::bf16 && job.op == ReduceOp::sum && spec.data == DataMode::exact &&
      job.ranks.size() > static_cast<std::size_t>(workload::max_exact_bf16_ranks))
    throw SetupError("sums of bf16 are exact for at most " + std::to_string(workload::max_exact_bf16_ranks) +
                     " ranks; legal: --data random, or --no-data");
}

void check_job(const PlatformParams& p, const RunSpec& spec, const JobSpec& job) {
  if (p.acks == AckMode::none && is_schedule(job) && p.ring.sync == RingSync::fence)
    throw SetupError("ring.sync=fence waits for acks, but acks=none; legal: ring.sync=counted, or acks=separate");
  if (p.acks == AckMode::none && job.algorithm == "pull" && p.pull.wave_done == PullWaveDone::ack)
    throw SetupError("pull.wave_done=ack waits for acks, but acks=none; legal: pull.wave_done=response, or acks=separate");
  if (job.algorithm == "push" && p.switches.reduction_table.trunk_bytes == 0_B)
    throw SetupError(
        "switch.reduction_table.trunk_bytes=0B, but push has home ports on trunks too; legal: at least 128B, "
        "or --algorithm pull");
  const std::uint64_t others = (job.ranks.empty() ? 1 : job.ranks.size()) - 1;
  const ReductionTableParams& table = p.switches.reduction_table;
  if (job.algorithm == "pull" && table.order == ReductionOrder::rank && table.bytes->value < others * block_bytes)
    throw SetupError("switch.reduction_table.order=rank keeps the operands of a pull apart, which " +
                     to_string(*table.bytes) + " cannot hold; legal: switch.reduction_table.bytes of at least " +
                     to_string(bytes(others * block_bytes)));
  check_sums(spec, job);
}

/// Refuses an algorithm that the machine cannot carry; of schedules without that, any number of ranks will do.
void check_network(const RunSpec& spec, const JobSpec& job) {
  if (collective::follows_network(job.collective, job.algorithm))
    schedule_of(job, bytes(block_bytes), machine(spec.platform));
}

void check_system(const PlatformParams& p) {
  if (p.gpu.dma.counter_lookup == CounterLookup::id && *p.gpu.dma.waves > 256)
    throw SetupError(
        "gpu.dma.counter_lookup=id carries the counter's number in 8 bits; legal: gpu.dma.waves of at most 256");
  if (p.gpu.doorbell_latency < p.link.latency)
    throw SetupError("gpu.doorbell_latency is below the lookahead; legal: at least link.latency (" +
                     to_string(p.link.latency) + ")");
}

/// Networks of NICs have neither GPUs nor NVSwitches; their parameters stand as they are.
PlatformParams resolve_network(const RunSpec& spec, PlatformParams p) {
  NetworkParams& n = p.network;
  if (!spec.faults.empty()) throw SetupError("faults of links are not modelled on " + spec.platform + "; legal: no --fault");
  if (spec.background_load > 0)
    throw SetupError("there is no background traffic on " + spec.platform + "; legal: no --background");
  const Segmentation segmentation(n.flow_control);
  if (n.router.buffer_flits < segmentation.largest())
    throw SetupError("network.router.buffer_flits=" + std::to_string(n.router.buffer_flits) +
                     " cannot hold a packet of network.flow_control.payload; legal: at least " +
                     std::to_string(segmentation.largest()));
  for (const JobSpec* job : jobs_of(spec)) check_sums(spec, *job);
  const topology::Network network = topology::network(spec.platform);
  constexpr std::uint32_t most_entries = 65535;
  if (!n.nic.table.entries) n.nic.table.entries = most_entries;
  if (*n.nic.table.entries == 0) n.nic.table.entries = 2 * static_cast<std::uint32_t>(network.size());
  return p;
}

}  // namespace

PlatformParams resolve_parameters(const RunSpec& spec) {
  PlatformParams p = spec.parameters;
  check_parameters(spec.platform, p);
  check_jobs(spec);
  if (is_network(spec.platform)) return resolve_network(spec, p);
  const MachineDefaults d = machine(spec.platform).defaults;
  ReductionTableParams& table = p.switches.reduction_table;
  Bytes table_bytes;
  std::uint32_t waves = 0;
  for (const JobSpec* job : jobs_of(spec)) {
    table_bytes = std::max(table_bytes, job->algorithm == "pull" ? d.pull_table : d.push_table);
    waves = std::max(waves, waves_of(spec, *job));
  }
  if (!table.bytes) table.bytes = table_bytes;
  if (!table.trunk_bytes) table.trunk_bytes = table.bytes;
  if (!p.gpu.dma.waves) p.gpu.dma.waves = waves;
  if (!p.switches.input_buffer) p.switches.input_buffer = flits(input_buffer_flits(p.switches, p.link));
  if (!p.switches.output_queue) p.switches.output_queue = flits(output_queue_flits(p.switches, p.link));
  if (!p.switches.table_queue) p.switches.table_queue = p.switches.output_queue;
  if (!p.link.replay_buffer) p.link.replay_buffer = flits(replay_flits(p.link, {NvLink::flit_bytes, max_packet_flits}));
  for (const JobSpec* job : jobs_of(spec)) check_job(p, spec, *job), check_network(spec, *job);
  check_system(p);
  return p;
}

std::uint32_t waves_of(const RunSpec& spec, const JobSpec& job) {
  if (spec.parameters.gpu.dma.waves) return *spec.parameters.gpu.dma.waves;
  const MachineDefaults d = machine(spec.platform).defaults;
  return job.algorithm == "pull" ? d.pull_waves : d.push_waves;
}

}  // namespace tributary
