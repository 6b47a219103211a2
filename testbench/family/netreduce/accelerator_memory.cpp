#include "testbench/family/netreduce/accelerator_memory.h"

#include <string>

#include "modules/netreduce/core/accelerator_core.h"
#include "platforms/netreduce/netreduce_platform.h"
#include "platforms/netreduce/ring_manager.h"
#include "testbench/family/netreduce/algorithms.h"
#include "testbench/family/netreduce/machine_plan.h"
#include "testbench/run/errors.h"

namespace tributary {
namespace {

std::uint64_t bytes_of(const std::vector<AggregationRing>& rings, const NetReducePlatformParams& params) {
  std::uint64_t bytes = 0;
  for (const AggregationRing& ring : rings)
    bytes += AcceleratorMemory::of(ring, params.aggregation, params.accelerator.value).bytes();
  return bytes;
}

}  // namespace

unsigned rings_of(const RunSpec& spec, const topology::Racks& machine) {
  unsigned rings = 0;
  for (const JobSpec& job : spec.jobs)
    if (netreduce_algorithm(job).accelerated) rings += static_cast<unsigned>(host_shape(job, machine.gpus).gpus);
  return rings;
}

void check_accelerator_memory(const RunSpec& spec, const NetReducePlatformParams& params, const topology::Racks& machine) {
  if (!params.accelerator.memory || machine.accelerators() == 0) return;
  const MessageFlowParams& flow = params.flow_control.messages;
  RingManager rings(machine, {flow.window, flow.message_packets, static_cast<unsigned>(params.nic.mtu.value)}, spec.seed);
  for (const JobSpec& job : spec.jobs) {
    const HostShape shape = host_shape(job, machine.gpus);
    for (int g = 0; g < shape.gpus && netreduce_algorithm(job).accelerated; ++g)
      rings.add_ring(shape.hosts, job.type, job.op);
  }
  const auto check = [&](int node, const std::vector<AggregationRing>& of_node) {
    const std::uint64_t need = bytes_of(of_node, params);
    if (need <= params.accelerator.memory->value) return;
    throw SetupError("the rings of " + machine.graph.node(node).name + " need " + std::to_string(need) +
                     " B, and netreduce.accelerator.memory=" + to_string(*params.accelerator.memory) +
                     "; legal: at least that, fewer hosts, less of netreduce.flow_control.window or .message_packets" +
                     (params.accelerator.value == SlotValue::stored ? ", or netreduce.accelerator.value=recomputed" : ""));
  };
  for (int r = 0; r < machine.racks; ++r) check(machine.leaf_accelerator(r), rings.rings_of_leaf(r));
  for (int s = 0; s < machine.spines; ++s) check(machine.spine_accelerator(s), rings.rings_of_spine(s));
}

void check_accelerator_buffers(const RunSpec& spec, const NetReducePlatformParams& params, const topology::Racks& machine) {
  if (machine.accelerators() == 0) return;
  const unsigned frame = NetReducePlatform::largest_frame(params, spec.background_load > 0);
  const auto check = [](const char* name, const std::optional<Bytes>& bytes, std::uint64_t least, const char* why) {
    if (bytes && bytes->value < least)
      throw SetupError("netreduce.accelerator." + std::string(name) + "=" + to_string(*bytes) +
                       " is too small; legal: at least " + std::to_string(least) + "B, " + why);
  };
  const AcceleratorParams& a = params.accelerator;
  check("output_queue", a.output_queue, frame, "the largest frame");
  if (params.ethernet_switch.pfc.on)
    check("input_fifo", a.input_fifo, frame + NetReducePlatform::accelerator_headroom(params, frame),
          "the largest frame, and those that still arrive after a pause");
  else
    check("input_fifo", a.input_fifo, frame, "the largest frame");
}

}  // namespace tributary
