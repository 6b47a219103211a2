#pragma once
/// Faults of frames on a wire: the interface for scripts and random faults (FaultInjector).

#include <cstdint>

#include "modules/base/units.h"
#include "modules/packet/packet.h"

namespace tributary {

enum class FrameFate : std::uint8_t {
  deliver,
  drop,       ///< lost on the wire
  corrupt,    ///< bits change, and the FCS reveals it
  flip,       ///< bits change and the FCS is recomputed, so only the ICRC reveals it
  duplicate,  ///< arrives twice at the same time: the far end duplicates it
};

/// Faults of one direction of a link.
class FrameFaults {
 public:
  virtual ~FrameFaults() = default;
  /// Returns the fate of a frame that starts at `start`. Called once for each frame, in order of start.
  virtual FrameFate fate(const Packet& frame, Tick start) = 0;
  /// Forgets all frames that have passed; scripted times count from `t0`.
  virtual void begin(Tick t0) = 0;
};

}  // namespace tributary
