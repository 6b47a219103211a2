#pragma once
/// What a compute model says of a layer.

#include <cstdint>

#include "modules/base/units.h"

namespace tributary::training {

/// The longest pass of one layer that any model accepts: 1000 s.
inline constexpr Tick longest_pass = 1'000'000'000'000'000;

/// Of one layer, for the whole batch of one accelerator; without communication. In picoseconds.
struct PassTimes {
  Tick forward = 0;
  Tick input_gradient = 0;
  Tick weight_gradient = 0;
  Tick update = 0;            ///< optimizer of this layer, where a table has it
  bool memory_bound = false;  ///< by the roofline

  Tick backward() const { return input_gradient + weight_gradient; }
  Tick sum() const { return forward + backward() + update; }
};

}  // namespace tributary::training
