#pragma once

#include <string>

#include "modules/link/core/link_meter.h"

namespace tributary {

/// DirectedLink: one direction of a link of a platform.
struct DirectedLink {
  std::string name;  ///< `gpu3.port2>switch0_2.port3`
  LinkMeter* transmitter;
};

}  // namespace tributary
