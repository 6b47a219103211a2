#pragma once
/// `tributary estimate --mode fluid`: the machines of the equations as flows.

#include <cstdint>
#include <string>
#include <vector>

#include "testbench/collective/cost_equations.h"

namespace tributary {

struct FluidEstimate {
  std::string algorithm;
  double seconds = 0;
  std::uint64_t activities = 0;
};

/// `bytes` > 0 of tensor per GPU. tencent where a machine has a power of two of GPUs, trees where the
/// machines are a power of two.
std::vector<FluidEstimate> fluid_estimates(const collective::MachineCost& machine, double bytes);

}  // namespace tributary
