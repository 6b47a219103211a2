#include "testbench/family/blink/resolve.h"

#include <algorithm>

#include "modules/base/field_type.h"
#include "platforms/topology/gpu_kinds.h"
#include "testbench/family/blink/channel_algorithms.h"
#include "testbench/family/blink/job_schedule.h"
#include "testbench/family/blink/servers.h"
#include "testbench/run/errors.h"

namespace tributary {
namespace {

/// True if the server's file gives the rate of a link of kind `a` or `b`.
bool known(const topology::ServerGraph& servers, topology::ServerLink a, topology::ServerLink b) {
  const auto& links = servers.graph().links();
  for (std::size_t i = 0; i < links.size(); ++i)
    if ((servers.kind(i) == a || servers.kind(i) == b) && servers.rate_of_file(links[i].a) != 0) return true;
  return false;
}

void check_followed(const RunSpec& spec, CopyDirection copies) {
  if (!spec.trace.block) return;
  if (copies == CopyDirection::read)
    throw SetupError("--trace-block follows copies that write, and these read (legal: blink.copies=write)");
  if (spec.jobs.size() != 1)
    throw SetupError("--trace-block follows a chunk of one job, and there are several (legal: one job)");
  const JobSpec& job = spec.jobs.front();
  if (!has_trees(job))
    throw SetupError("--trace-block follows a chunk of trees, and " + job.algorithm +
                     " has none (legal: algorithms of trees)");
}

/// Times within a packet are 32-bit counts of picoseconds.
void check_rates(const PcieParams& p) {
  constexpr double least = 1e6;
  if (p.rate && static_cast<double>(p.rate->value) * p.efficiency < least)
    throw SetupError("blink.pcie.rate=" + to_string(*p.rate) + " with blink.pcie.efficiency=" + print_real(p.efficiency) +
                     " leaves less than 1MB/s, at which a burst lasts more than 4 ms (legal: at least 1MB/s)");
}

void check_memory(Bandwidth rate) {
  if (rate.value != 0 && rate.value < 1'000'000)
    throw SetupError("blink.memory.rate=" + to_string(rate) +
                     " is less than 1MB/s (legal: 0GB/s, which is no limit, or at "
                     "least 1MB/s)");
}

/// Bounds the memory of the plan, which holds the steps and the proof of all slices of a message.
void check_slices(const JobSpec& job, const NcclParams& nccl) {
  constexpr std::uint64_t most = 200'000;
  for (const WorkItem& item : job.items)
    if (item.size.value / nccl.slot.value > most)
      throw SetupError("blink.nccl.slot: " + to_string(nccl.slot) + " cut " + to_string(item.size) + " into more than " +
                       std::to_string(most) + " slices (legal: a slot of at least " +
                       to_string(bytes((item.size.value / most / block_bytes + 1) * block_bytes)) + ")");
}

/// Checks that all links of a GPU to NVSwitches together do not exceed the legal rate of a link, as they are simulated as
/// one link.
void check_bonded(const topology::ServerGraph& servers, Bandwidth nvlink) {
  if (!servers.switched()) return;
  std::uint64_t links = 1;
  for (const topology::Link& link : servers.graph().links())
    links = std::max(links, static_cast<std::uint64_t>(servers.bonded(link.a)));
  constexpr std::uint64_t most = 10'000'000'000'000;
  if (nvlink.value > most / links)
    throw SetupError("blink.nvlink.rate=" + to_string(nvlink) + " for each of " + std::to_string(links) +
                     " NVLinks that a GPU has to NVSwitches (legal: 10TB/s for all of them)");
}

}  // namespace

bool follows_chunks(const RunSpec& spec) { return spec.jobs.size() == 1 && has_trees(spec.jobs.front()); }

BlinkParams resolve_blink(const RunSpec& spec, BlinkParams params) {
  BlinkPlatformParams& p = params.platform;
  check_rates(p.pcie);
  check_memory(p.gpu.memory.rate);
  const topology::ServerGraph servers = servers_of(spec.platform, p);
  p.net.nics = nics_of(spec.platform, p);
  const topology::GpuKind kind = topology::gpu_kind(spec.platform, servers.server(), p.gpu.nvlink.rate);
  if (!p.gpu.copy.engines) p.gpu.copy.engines = kind.copy_engines;
  if (!p.gpu.copy.arbitration)  // all copies of a GPU share its links to the NVSwitches
    p.gpu.copy.arbitration = servers.switched() ? CopyArbitration::in_turn : CopyArbitration::first;
  const std::uint64_t of_file = servers.server().nvlink_rate;
  if (!p.gpu.nvlink.rate) p.gpu.nvlink.rate = of_file != 0 ? bytes_per_second(of_file) : kind.nvlink_rate;
  check_bonded(servers, *p.gpu.nvlink.rate);
  if (!p.gpu.kernel.rate) p.gpu.kernel.rate = kind.kernel_rate;
  if (!p.gpu.kernel.multiprocessors) p.gpu.kernel.multiprocessors = kind.multiprocessors;
  if (!p.nccl.link_rate) p.nccl.link_rate = kind.channel_rate;
  if (!p.nccl.low_latency.per_thread) p.nccl.low_latency.per_thread = kind.name == "P100" ? 32_B : 64_B;
  using topology::ServerLink;
  if (!p.pcie.rate && !known(servers, ServerLink::pcie, ServerLink::pcie)) p.pcie.rate = PcieParams::standard_rate;
  if (!p.net.rate && !known(servers, ServerLink::nic, ServerLink::network)) p.net.rate = ServerNetworkParams::standard_rate;
  if (!p.nccl.reduce_rate) p.nccl.reduce_rate = p.nccl.link_rate;
  check_followed(spec, params.codegen.copies);
  if (params.codegen.hybrid.measure && spec.iterations == 0)
    throw SetupError("blink.hybrid.measure=true needs several iterations to measure rates (legal: with --iterations N)");
  for (const JobSpec& job : spec.jobs)
    if (has_channels(job)) check_slices(job, p.nccl);
  return params;
}

}  // namespace tributary
