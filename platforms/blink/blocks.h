#pragma once
/// Names of the replaceable blocks of servers of GPUs with copy engines.

#include "platforms/blink/blink_platform.h"
#include "platforms/block_factories.h"

namespace tributary {

/// Slots of the copy engines and of the memory of every GPU.
inline constexpr BlockSlot<CopyEngineFactory> stream_copy_engine_slot{"blink.gpu.copy_engine"};
inline constexpr BlockSlot<StreamMemoryFactory> stream_memory_slot{"blink.gpu.memory"};

/// Returns all slots with a description.
std::vector<BlockInfo> blink_blocks();
/// Sets the factories of `parts` that `blocks` has. Throws as BlockFactories::find does.
void replace_blocks(StreamGpu::Parts& parts, const BlockFactories& blocks);

}  // namespace tributary
