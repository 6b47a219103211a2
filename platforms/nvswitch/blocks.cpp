#include "platforms/nvswitch/blocks.h"

#include <algorithm>
#include <string>

namespace tributary {
namespace {

struct Engine {
  BlockSlot<EngineFactory> slot;
  const char* name;  ///< name in GpuParts
};
constexpr Engine engines[] = {{dma_engine_slot, "dma"},
                              {command_executor_slot, "executor"},
                              {home_accumulator_slot, "home"},
                              {compute_engine_slot, "compute"},
                              {operation_engine_slot, "operations"}};

bool has(const GpuParts& parts, const std::string& name) {
  return std::any_of(parts.engines().begin(), parts.engines().end(), [&](const auto& e) { return e.name == name; });
}

}  // namespace

std::vector<BlockInfo> nvswitch_blocks() {
  return {
      {reduction_table_slot.name, "reduction table of each port of each switch (ReductionTableFactory)",
       "modules/nvswitch/reduction_table_module.h"},
      {switch_port_slot.name, "port of each switch, with its link and the table's socket (NvSwitchPortFactory)",
       "modules/nvswitch/nvswitch_port.h"},
      {switch_arbiter_slot.name, "arbiter of the crossbar of each switch (CrossbarArbiterFactory)",
       "modules/switching/core/crossbar_arbiter.h"},
      {gpu_memory_slot.name, "memory of each GPU (MemoryFactory)", "modules/gpu/gpu_parts.h"},
      {dma_engine_slot.name, "DMA engine of each GPU, with its wave controller (EngineFactory)", "modules/gpu/gpu_parts.h"},
      {command_executor_slot.name, "executor of software schedules of each GPU (EngineFactory)", "modules/gpu/gpu_parts.h"},
      {copy_engine_slot.name, "copy engines of each GPU, in algorithms of streams (CopyEngineFactory)",
       "modules/streams/copy_engine_module.h"},
      {compute_engine_slot.name, "compute engine of each GPU, in training steps by packets (EngineFactory)",
       "modules/gpu/gpu_parts.h"},
      {operation_engine_slot.name, "operation queues of each GPU, in training steps by packets (EngineFactory)",
       "modules/gpu/gpu_parts.h"},
      {home_accumulator_slot.name, "home accumulator of each GPU, which adds partial sums (EngineFactory)",
       "modules/gpu/gpu_parts.h"},
  };
}

void replace_blocks(NvSwitchPlatform::Config& config, const BlockFactories& blocks) {
  if (const auto* make = blocks.find(reduction_table_slot)) config.make_table = *make;
  if (const auto* make = blocks.find(switch_port_slot)) config.make_port = *make;
  if (const auto* make = blocks.find(switch_arbiter_slot)) config.make_arbiter = *make;
  if (const auto* make = blocks.find(gpu_memory_slot)) config.gpu_parts.memory = *make;
  if (const auto* make = blocks.find(copy_engine_slot)) config.make_copy_engine = *make;
  for (const Engine& engine : engines)
    if (const auto* make = blocks.find(engine.slot); make != nullptr && has(config.gpu_parts, engine.name))
      config.gpu_parts.replace(engine.name, *make);
}

}  // namespace tributary
