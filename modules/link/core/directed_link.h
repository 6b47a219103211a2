#pragma once
/// DirectedLink: one direction of a link of a platform.

#include <string>

#include "modules/link/core/link_meter.h"

namespace tributary {

/// A named direction of a link, with its transmitter.
struct DirectedLink {
  std::string name;  ///< `gpu3.port2>switch0_2.port3`
  LinkMeter* transmitter;
};

}  // namespace tributary
