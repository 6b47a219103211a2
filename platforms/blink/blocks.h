#pragma once
/// Names of the replaceable blocks of servers of GPUs with copy engines.

#include <memory>
#include <string>

#include "modules/blockcheck/core/block_access.h"
#include "platforms/blink/blink_platform.h"
#include "platforms/block_factories.h"

namespace tributary {

/// Slots of the copy engines and of the memory of every GPU.
inline constexpr BlockSlot<CopyEngineFactory> stream_copy_engine_slot{"blink.gpu.copy_engine"};
inline constexpr BlockSlot<StreamMemoryFactory> stream_memory_slot{"blink.gpu.memory"};

/// Returns all slots with a description.
std::vector<BlockInfo> blink_blocks();
/// Returns a driver of one block; null if it cannot be driven alone, or `factories` does not have it. Throws FieldError.
std::unique_ptr<BlockDriver> drive_blink_block(const std::string& block, const char* name, const BlockFactories* factories,
                                               const FieldValues& config);
/// Returns the default configuration of such a block; an empty name for another one.
BlockPlace blink_block_alone(const std::string& block);
/// Returns the period of its interface, in ps. Throws FieldError.
Tick blink_block_clock(const std::string& block, const FieldValues& config);
/// Sets the factories of `parts` that `blocks` has. Throws as BlockFactories::find does.
void replace_blocks(StreamGpu::Parts& parts, const BlockFactories& blocks);

}  // namespace tributary
