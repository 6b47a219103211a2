#pragma once
/// Result of a compute model for a layer.

#include <cstdint>

#include "modules/base/units.h"

namespace tributary::training {

/// Longest legal pass of one layer: 1000 s.
inline constexpr Tick longest_pass = 1'000'000'000'000'000;

/// Times of one layer in picoseconds, for the whole batch of one accelerator, without communication.
struct PassTimes {
  Tick forward = 0;
  Tick input_gradient = 0;
  Tick weight_gradient = 0;
  Tick update = 0;              ///< optimizer of this layer, if the table has it
  bool memory_bound = false;    ///< bound by memory in the roofline
  Tick attention = 0;           ///< part of the forward pass that selective recomputation repeats
  Tick attention_gradient = 0;  ///< part of the input gradient

  Tick backward() const { return input_gradient + weight_gradient; }
  Tick sum() const { return forward + backward() + update; }
};

}  // namespace tributary::training
