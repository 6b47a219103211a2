#include "testbench/driver/resolve.h"

#include "modules/link/packet.h"
#include "modules/nvswitch/nvswitch.h"
#include "testbench/collective/software.h"
#include "testbench/driver/session.h"

namespace tributary {
namespace {

Bytes flits(unsigned n) { return bytes(std::uint64_t{n} * flit_bytes); }

void check(const SystemParams& p, const JobSpec& job) {
  if (p.acks == AckMode::none && collective::is_software(job.collective, job.algorithm) && p.ring.sync == RingSync::fence)
    throw SetupError("ring.sync=fence waits for acks, but acks=none; legal: ring.sync=counted, or acks=separate");
  if (p.acks == AckMode::none && job.algorithm == "pull" && p.pull.wave_done == PullWaveDone::ack)
    throw SetupError("pull.wave_done=ack waits for acks, but acks=none; legal: pull.wave_done=response, or acks=separate");
  if (p.gpu.doorbell_latency < p.link.latency)
    throw SetupError("gpu.doorbell_latency is below the lookahead; legal: at least link.latency (" +
                     to_string(p.link.latency) + ")");
}

}  // namespace

SystemParams resolve_parameters(const RunSpec& spec) {
  SystemParams p = spec.parameters;
  const bool pull = spec.job.algorithm == "pull";
  if (!p.switches.reduction_table.bytes) p.switches.reduction_table.bytes = pull ? 4_KiB : 256_B;
  if (!p.gpu.dma.waves) p.gpu.dma.waves = pull ? 4u : 16u;
  if (!p.switches.input_buffer) p.switches.input_buffer = flits(input_buffer_flits(p.switches, p.link));
  if (!p.switches.output_queue) p.switches.output_queue = flits(output_queue_flits(p.switches, p.link));
  if (!p.switches.table_queue) p.switches.table_queue = p.switches.output_queue;
  check(p, spec.job);
  return p;
}

}  // namespace tributary
