#include "platforms/rtl/pin_plugin.h"

#include <stdexcept>

#include "modules/base/nearest.h"
#include "platforms/netreduce/blocks.h"

namespace tributary {

void add_pin_block(BlockFactories& blocks, const std::string& block, const PinBlock& pins) {
  if (block != "combinator")
    throw std::invalid_argument(unknown_name("block with pins in kernel time", block, {"combinator"}));
  blocks.add(combinator_slot, [pins](const char* name, const Accelerator::Config& config) {
    return std::make_unique<PinCombinator>(name, pins, config.params);
  });
}

}  // namespace tributary
