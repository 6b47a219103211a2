#include "platforms/nvswitch/automatic.h"

#include <algorithm>

#include "modules/link/core/link_retransmission.h"
#include "modules/nvswitch/nvswitch.h"
#include "modules/protocol/nvlink.h"

namespace tributary {
namespace {

Bytes flits(unsigned n) { return bytes(std::uint64_t{n} * NvLink::flit_bytes); }

}  // namespace

NvSwitchPlatformParams with_automatic_values(NvSwitchPlatformParams p, const MachineDefaults& defaults,
                                             const std::vector<Reduces>& operations) {
  ReductionTableParams& table = p.switches.reduction_table;
  Bytes table_bytes;
  std::uint32_t waves = 0;
  for (const Reduces operation : operations) {
    const bool pulls = operation == Reduces::in_flight;
    table_bytes = std::max(table_bytes, pulls ? defaults.pull_table : defaults.push_table);
    waves = std::max(waves, pulls ? defaults.pull_waves : defaults.push_waves);
  }
  if (!table.bytes) table.bytes = table_bytes;
  if (!table.trunk_bytes) table.trunk_bytes = table.bytes;
  if (!p.gpu.dma.waves) p.gpu.dma.waves = waves;
  if (!p.switches.input_buffer) p.switches.input_buffer = flits(input_buffer_flits(p.switches, p.link));
  if (!p.switches.output_queue) p.switches.output_queue = flits(output_queue_flits(p.switches, p.link));
  if (!p.switches.table_queue) p.switches.table_queue = p.switches.output_queue;
  if (!p.link.replay_buffer)
    p.link.replay_buffer = flits(replay_flits(p.link, {NvLink::flit_bytes, NvLink::max_packet_flits}));
  p.stream_engine = p.stream_engine.resolved();
  return p;
}

GpuProgram push_all_reduce(const BlockRange& region, unsigned members, const NvSwitchPlatformParams& params) {
  DmaStage stage;
  stage.kind = DmaStage::Kind::push;
  stage.message = region;
  stage.block_count = stage.arrivals = region.blocks();
  stage.wave_blocks = static_cast<std::uint32_t>(blocks_of(params.gpu.dma.wave_bytes.value));
  GpuProgram program;
  program.stages.push_back(stage);
  program.members = members;
  return program;
}

}  // namespace tributary
