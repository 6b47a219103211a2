#include "modules/rtl/pin_arbiter.h"

#include "modules/nvswitch/core/arbiter_pins.h"

namespace tributary {

PinArbiter::PinArbiter(const sc_core::sc_module_name& name, const PinBlock& block, const CrossbarArbiterConfig& config)
    : sc_module(name),
      pins_("unit", arbiter_pins(), block.rtl.parameters, block.make),
      core_(block_of(pins_, block), config) {
  require_called_in_thread(this->name(), block, get_parent_object());
}

std::size_t PinArbiter::choose(unsigned output, const std::vector<Request>& requests, Tick now) {
  if (pins_.connect()) core_.reset();
  return core_.choose(output, requests, now);
}

void PinArbiter::granted(unsigned output, const Request& request, Tick now) {
  if (pins_.connect()) core_.reset();
  core_.granted(output, request, now);
}

void PinArbiter::reset() {
  pins_.disconnect();
  core_.reset();
}

}  // namespace tributary
