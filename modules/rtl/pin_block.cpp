#include "modules/rtl/pin_block.h"

#include <stdexcept>

#include "modules/base/element_limits.h"
#include "modules/blockcheck/core/block_access.h"
#include "modules/blockcheck/core/observed_module.h"

namespace tributary {

void require_unobserved(const sc_core::sc_object& block) {
  const sc_core::sc_object* const parent = block.get_parent_object();
  bool observed = dynamic_cast<const BlockDriver*>(parent) != nullptr;
  const std::string observer = std::string(block.basename()) + "_observed";
  for (const sc_core::sc_object* sibling :
       parent != nullptr ? parent->get_child_objects() : sc_core::sc_get_top_level_objects())
    observed |= dynamic_cast<const ObservedModule*>(sibling) != nullptr && observer == sibling->basename();
  if (observed)
    throw std::invalid_argument(std::string(block.name()) +
                                " answers in kernel time: if it decides, it can be neither recorded nor compared");
}

RtlBlock block_of(DeltaPins& pins, const PinBlock& block) {
  RtlBlock made = block.rtl;
  made.make = [&pins] { return pins.model(); };
  return made;
}

void require_called_in_thread(const std::string& name, const PinBlock& block, const sc_core::sc_object* parent) {
  if (block.latency != 0) throw UnfitBlock(name + ": clocks until an answer are counted (legal: no LATENCY)");
  if (dynamic_cast<const BlockDriver*>(parent) != nullptr)
    throw UnfitBlock(name + ": a block that waits in calls can be neither a shadow nor replayed (legal: --plugin)");
}

}  // namespace tributary
