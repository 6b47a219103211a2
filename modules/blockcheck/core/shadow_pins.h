#pragma once
/// add_pins: probes of the pins of a block in RTL that is a shadow.

#include <string>

#include "modules/base/probe.h"

namespace tributary {

/// Adds the probes `...rtl.PIN` of `block` to `directory` as `SHADOW.rtl.PIN`. Other probes of a shadow are not added, as
/// counters would count them with those of the model.
void add_pins(const ProbeDirectory& block, const std::string& shadow, ProbeDirectory& directory);

}  // namespace tributary
