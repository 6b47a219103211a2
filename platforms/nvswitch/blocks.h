#pragma once
/// The blocks of machines of GPUs and NVSwitches that can be replaced by name.

#include "platforms/block_factories.h"
#include "platforms/nvswitch/nvswitch_platform.h"

namespace tributary {

/// The reduction table of each port of each switch.
inline constexpr BlockSlot<ReductionTableFactory> reduction_table_slot{"nvswitch.switch.reduction_table"};
/// Each port of each switch, with its link.
inline constexpr BlockSlot<NvSwitchPortFactory> switch_port_slot{"nvswitch.switch.port"};
/// Each GPU's memory.
inline constexpr BlockSlot<MemoryFactory> gpu_memory_slot{"nvswitch.gpu.memory"};
/// Each GPU's DMA engine with its wave controller, its command executor, and what adds up partial sums at home.
inline constexpr BlockSlot<EngineFactory> dma_engine_slot{"nvswitch.gpu.dma"};
inline constexpr BlockSlot<EngineFactory> command_executor_slot{"nvswitch.gpu.executor"};
inline constexpr BlockSlot<EngineFactory> home_accumulator_slot{"nvswitch.gpu.home"};
/// Each GPU's compute engine and its streams of operations, in a training step.
inline constexpr BlockSlot<EngineFactory> compute_engine_slot{"nvswitch.gpu.compute"};
inline constexpr BlockSlot<EngineFactory> operation_engine_slot{"nvswitch.gpu.operations"};
/// Each copy engine of each GPU, where a method has streams.
inline constexpr BlockSlot<CopyEngineFactory> copy_engine_slot{"nvswitch.gpu.copy_engine"};

/// All of them.
std::vector<BlockInfo> nvswitch_blocks();
/// Blocks that `blocks` has are made by it. Throws as BlockFactories::find does.
void replace_blocks(NvSwitchPlatform::Config& config, const BlockFactories& blocks);

}  // namespace tributary
