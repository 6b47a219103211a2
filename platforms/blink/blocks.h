#pragma once
/// The blocks of servers of GPUs with copy engines that can be replaced by name.

#include "platforms/blink/blink_platform.h"
#include "platforms/block_factories.h"

namespace tributary {

/// Of each GPU: each of its copy engines; the memory.
inline constexpr BlockSlot<CopyEngineFactory> stream_copy_engine_slot{"blink.gpu.copy_engine"};
inline constexpr BlockSlot<StreamMemoryFactory> stream_memory_slot{"blink.gpu.memory"};

/// All of them.
std::vector<BlockInfo> blink_blocks();
/// Blocks that `blocks` has are made by it. Throws as BlockFactories::find does.
void replace_blocks(StreamGpu::Parts& parts, const BlockFactories& blocks);

}  // namespace tributary
