#include "testbench/family/blink/resolve.h"

#include "modules/base/field_type.h"
#include "testbench/family/blink/channel_methods.h"
#include "testbench/family/blink/servers.h"
#include "testbench/run/errors.h"

namespace tributary {
namespace {

/// Published, or calibrated where nothing is (docs/systems/blink.md#machines).
struct GpuKind {
  std::uint32_t copy_engines;
  Bandwidth nvlink_rate, kernel_rate, channel_rate;
};
constexpr GpuKind p100{5, 20_GBps, 210_GBps, 18_GBps}, v100{6, 25_GBps, 260_GBps, 20_GBps};

/// Of a file: by the rate of its NVLinks, if that is known.
const GpuKind& kind_of(const topology::Server& server) {
  const bool slow = server.nvlink_rate != 0 && server.nvlink_rate <= p100.nvlink_rate.value;
  return server.name == "dgx1p" || slow ? p100 : v100;
}

void check_followed(const RunSpec& spec) {
  if (!spec.trace.block) return;
  if (spec.jobs.size() != 1)
    throw SetupError("--trace-block follows a chunk of one job, and there are several (legal: one job)");
  const JobSpec& job = spec.jobs.front();
  if (has_channels(job))
    throw SetupError("--trace-block follows a chunk of trees, and " + job.algorithm + " has none (legal: methods of trees)");
}

/// Times within a packet are 32 bits of picoseconds.
void check_rates(const PcieParams& p) {
  constexpr double least = 1e6;
  if (static_cast<double>(p.rate.value) * p.efficiency < least)
    throw SetupError("blink.pcie.rate=" + to_string(p.rate) + " with blink.pcie.efficiency=" + print_real(p.efficiency) +
                     " leaves less than 1MB/s, at which a burst takes more than 4 ms; legal: at least that");
}

/// Steps and their proof are kept for all pieces of a message.
void check_pieces(const JobSpec& job, const NcclParams& nccl) {
  constexpr std::uint64_t most = 200'000;
  for (const WorkItem& item : job.items)
    if (item.size.value / nccl.slot.value > most)
      throw SetupError("blink.nccl.slot: " + to_string(nccl.slot) + " cut " + to_string(item.size) + " into more than " +
                       std::to_string(most) + " pieces (legal: a slot of at least " +
                       to_string(bytes((item.size.value / most / block_bytes + 1) * block_bytes)) + ")");
}

}  // namespace

BlinkParams resolve_blink(const RunSpec& spec, BlinkParams params) {
  BlinkPlatformParams& p = params.platform;
  check_rates(p.pcie);
  const topology::ServerGraph servers = servers_of(spec.platform, p);
  const GpuKind& kind = kind_of(servers.server());
  if (!p.gpu.copy.engines) p.gpu.copy.engines = kind.copy_engines;
  const std::uint64_t of_file = servers.server().nvlink_rate;
  if (!p.gpu.nvlink.rate) p.gpu.nvlink.rate = of_file != 0 ? bytes_per_second(of_file) : kind.nvlink_rate;
  if (!p.gpu.kernel.rate) p.gpu.kernel.rate = kind.kernel_rate;
  if (!p.nccl.link_rate) p.nccl.link_rate = kind.channel_rate;
  if (!p.nccl.reduce_rate) p.nccl.reduce_rate = p.nccl.link_rate;
  check_followed(spec);
  for (const JobSpec& job : spec.jobs)
    if (has_channels(job)) check_pieces(job, p.nccl);
  return params;
}

}  // namespace tributary
