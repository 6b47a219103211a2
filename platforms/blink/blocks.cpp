#include "platforms/blink/blocks.h"

namespace tributary {

std::vector<BlockInfo> blink_blocks() {
  return {
      {stream_copy_engine_slot.name, "copy engines of each GPU, for algorithms of trees (CopyEngineFactory)",
       "modules/streams/copy_engine_module.h"},
      {stream_memory_slot.name, "memory of each GPU, a MemoryModule (StreamMemoryFactory)",
       "modules/stream_gpu/stream_gpu.h"},
  };
}

void replace_blocks(StreamGpu::Parts& parts, const BlockFactories& blocks) {
  if (const auto* make = blocks.find(stream_copy_engine_slot)) parts.engine = *make;
  if (const auto* make = blocks.find(stream_memory_slot)) parts.memory = *make;
}

}  // namespace tributary
