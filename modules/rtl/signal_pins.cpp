#include "modules/rtl/signal_pins.h"

#include "modules/rtl/core/beat_channel.h"

namespace tributary {

SignalPins::SignalPins(std::string block, const PinTable& table, PinParameters parameters)
    : block_(std::move(block)), table_(table), parameters_(std::move(parameters)) {}

bool SignalPins::write() {
  bool changed = false;
  for (const auto& pin : inputs_) changed |= pin->write();
  return changed;
}

void SignalPins::read() {
  for (const auto& pin : outputs_) pin->read();
}

void SignalPins::clear() {
  for (const auto& pin : outputs_) std::fill(pin->bytes.begin(), pin->bytes.end(), std::uint8_t{0});
}

/// A block may have an output `idle` in addition.
std::size_t SignalPins::check(const char* name, bool to_block, unsigned bits, std::size_t most) const {
  std::uint64_t wanted = name == std::string("idle") && !to_block ? 1 : 0;
  for (const FlatPin& pin : flat_pins(table_))
    if (pin.name == name && pin.to_block == to_block) wanted = width_of(table_, pin.bits, pin.times, parameters_);
  if (wanted == 0)
    throw std::invalid_argument(block_ + ": the block " + table_.block + " has no " + (to_block ? "input" : "output") +
                                " `" + name + "`");
  if (bits == 0 ? wanted > most : wanted != bits)
    throw std::invalid_argument(block_ + ": pin `" + name + "` has another width than " + std::to_string(wanted) + " bits");
  return storage_bytes(wanted);
}

}  // namespace tributary
