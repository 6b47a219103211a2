#pragma once
/// The replaceable blocks of machines of GPUs and NVSwitches, by name.

#include <memory>
#include <string>

#include "modules/blockcheck/core/block_access.h"
#include "platforms/block_factories.h"
#include "platforms/nvswitch/nvswitch_platform.h"

namespace tributary {

/// Reduction table of each port of each switch.
inline constexpr BlockSlot<ReductionTableFactory> reduction_table_slot{"nvswitch.switch.reduction_table"};
/// Each port of each switch, with its link.
inline constexpr BlockSlot<NvSwitchPortFactory> switch_port_slot{"nvswitch.switch.port"};
/// Arbiter of the crossbar of each switch.
inline constexpr BlockSlot<CrossbarArbiterFactory> switch_arbiter_slot{"nvswitch.switch.arbiter"};
/// Router of each switch.
inline constexpr BlockSlot<SwitchRouterFactory> switch_router_slot{"nvswitch.switch.router"};
/// Memory of each GPU.
inline constexpr BlockSlot<MemoryFactory> gpu_memory_slot{"nvswitch.gpu.memory"};
/// DMA engine of each GPU with its wave controller, its command executor, and the accumulator of partial sums at their
/// home.
inline constexpr BlockSlot<EngineFactory> dma_engine_slot{"nvswitch.gpu.dma"};
inline constexpr BlockSlot<EngineFactory> command_executor_slot{"nvswitch.gpu.executor"};
inline constexpr BlockSlot<EngineFactory> home_accumulator_slot{"nvswitch.gpu.home"};
/// Compute engine and operation queues of each GPU, in a training step.
inline constexpr BlockSlot<EngineFactory> compute_engine_slot{"nvswitch.gpu.compute"};
inline constexpr BlockSlot<EngineFactory> operation_engine_slot{"nvswitch.gpu.operations"};
/// Each GPU has one, in algorithms whose thread blocks reduce in the switches.
inline constexpr BlockSlot<EngineFactory> nvls_engine_slot{"nvswitch.gpu.nvls"};
/// Each copy engine of each GPU, if the algorithm uses streams.
inline constexpr BlockSlot<CopyEngineFactory> copy_engine_slot{"nvswitch.gpu.copy_engine"};

/// Returns all of these blocks.
std::vector<BlockInfo> nvswitch_blocks();
/// Returns a driver of one block, that of `factories` or, if it is null, the model's own. Returns null if the block cannot
/// be driven alone, or `factories` does not have it. Throws FieldError if `config` is no configuration of the block.
std::unique_ptr<BlockDriver> drive_nvswitch_block(const std::string& block, const char* name,
                                                  const BlockFactories* factories, const FieldValues& config);
/// Returns the default configuration of such a block; an empty name for another one.
BlockPlace nvswitch_block_alone(const std::string& block);
/// Returns the period of its interface, in ps. Throws FieldError.
Tick nvswitch_block_clock(const std::string& block, const FieldValues& config);
/// Replaces the blocks that `blocks` contains. Throws as BlockFactories::find() does.
void replace_blocks(NvSwitchPlatform::Config& config, const BlockFactories& blocks);

}  // namespace tributary
