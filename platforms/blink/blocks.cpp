#include "platforms/blink/blocks.h"

#include "modules/streams/copy_engine.h"
#include "platforms/observed_blocks.h"

namespace tributary {
namespace {

const ObservableBlock<CopyEngineKit, CopyParams>& observable_engine() {
  static const ObservableBlock<CopyEngineKit, CopyParams> engine{
      stream_copy_engine_slot,
      [](const char* name, const CopyParams& params) { return std::make_unique<CopyEngine>(name, params); },
      [](const CopyParams& params) { return params.interface_clock().value; },
      [](FieldVisitor& v, CopyParams& params) { visit_parameters(v, ParameterSet(params)); }, monitor_of<CopyMonitor>()};
  return engine;
}

}  // namespace

std::vector<BlockInfo> blink_blocks() {
  return {
      {stream_copy_engine_slot.name, "copy engines of each GPU, for algorithms of trees (CopyEngineFactory)",
       "modules/streams/copy_engine_module.h"},
      {stream_memory_slot.name, "memory of each GPU, a MemoryModule (StreamMemoryFactory)",
       "modules/stream_gpu/stream_gpu.h"},
  };
}

std::unique_ptr<BlockDriver> drive_blink_block(const std::string& block, const char* name, const BlockFactories* factories,
                                               const FieldValues& config) {
  return drive_block(block, name, factories, config, observable_engine());
}

BlockPlace blink_block_alone(const std::string& block) { return block_alone(block, observable_engine()); }

Tick blink_block_clock(const std::string& block, const FieldValues& config) {
  return block_clock(block, config, observable_engine());
}

void replace_blocks(StreamGpu::Parts& parts, const BlockFactories& blocks) {
  observable_engine().replace(parts.engine, blocks);
  if (const auto* make = blocks.find(stream_memory_slot)) parts.memory = *make;
}

}  // namespace tributary
