#pragma once
/// Timing and AccessTime: occupancy of a block by one access, apart from the latency of its answer.

#include "modules/base/units.h"

namespace tributary {

/// Member `timing` of every transaction of a block. Latency is the `delay` of b_transport: time from the device's nominal
/// response time until the first beat of the answer is valid. The two are independent, as END_REQ and BEGIN_RESP of
/// IEEE 1666: a pipelined block has latency without an interval.
struct Timing {
  Tick interval = 0;  ///< out: ps beyond the device's nominal interval until the block accepts the next request
};

/// Times of an access beyond the nominal times of the device, in ps.
struct AccessTime {
  Tick latency = 0;   ///< until the answer is valid; `never`: it follows later (ClockedPart)
  Tick interval = 0;  ///< until the block accepts the next request

  bool pending() const { return latency == never; }
};

}  // namespace tributary
