#include "platforms/rtl/pin_plugin.h"

#include <stdexcept>

#include "modules/base/nearest.h"
#include "modules/rtl/pin_combinator.h"
#include "modules/rtl/pin_lookup.h"
#include "modules/rtl/pin_payload_buffer.h"
#include "modules/rtl/pin_translation.h"
#include "platforms/netreduce/blocks.h"

namespace tributary {
namespace {

template <class Module, class Slot>
void add(BlockFactories& blocks, const Slot& slot, const PinBlock& pins) {
  blocks.add(slot, [pins](const char* name, const Accelerator::Config& config) {
    return std::make_unique<Module>(name, pins, config.params);
  });
}

}  // namespace

void add_pin_block(BlockFactories& blocks, const std::string& block, const PinBlock& pins) {
  if (block == "combinator") return add<PinCombinator>(blocks, combinator_slot, pins);
  if (block == "clt") return add<PinLookup>(blocks, connection_lookup_slot, pins);
  if (block == "ctt") return add<PinTranslation>(blocks, connection_translation_slot, pins);
  if (block == "payload_buffer") return add<PinPayloadBuffer>(blocks, payloads_slot, pins);
  throw std::invalid_argument(
      unknown_name("block with pins in kernel time", block, {"combinator", "clt", "ctt", "payload_buffer"}));
}

}  // namespace tributary
