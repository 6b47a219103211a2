#pragma once
/// PinBlock: a block with pins in kernel time as a plug-in delivers it.

#include <string>

#include "modules/rtl/core/rtl_block.h"
#include "modules/rtl/delta_pins.h"
#include "modules/rtl/pin_port.h"

namespace tributary {

struct PinBlock {
  MakePinned make;
  RtlBlock rtl = {};     ///< parameters and elements; no model
  unsigned latency = 0;  ///< clocks from the first beat of a request to the first beat of its answer; 0: it depends on data
};

/// A block that decides can be neither recorded nor compared: its answers follow the calls. Throws std::invalid_argument if
/// `block` is observed, or driven as a shadow. Call before the end of elaboration.
void require_unobserved(const sc_core::sc_object& block);

/// Returns a block whose model are the signals of `pins`.
RtlBlock block_of(DeltaPins& pins, const PinBlock& block);
/// Throws UnfitBlock for a block of DeltaPins with a stated latency, or whose caller, `parent`, is a driver of
/// shadows or replays: they run outside of a thread.
void require_called_in_thread(const std::string& name, const PinBlock& block, const sc_core::sc_object* parent);

}  // namespace tributary
