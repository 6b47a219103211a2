#pragma once
/// What becomes of frames on a wire: a seam for scripts and chance (FaultInjector).

#include <cstdint>

#include "modules/base/units.h"
#include "modules/packet/packet.h"

namespace tributary {

enum class FrameFate : std::uint8_t {
  deliver,
  drop,       ///< lost on the way
  corrupt,    ///< bits change: the FCS shows it
  flip,       ///< bits change, and the FCS is made anew: the ICRC shows it
  duplicate,  ///< comes twice at the same time: the far end makes two of it
};

/// Of one direction of a link.
class FrameFaults {
 public:
  virtual ~FrameFaults() = default;
  /// Of each frame, in the order in which they start, at `start`.
  virtual FrameFate fate(const Packet& frame, Tick start) = 0;
  /// Forgets what has passed; scripted times count from t0.
  virtual void begin(Tick t0) = 0;
};

}  // namespace tributary
