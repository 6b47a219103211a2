#pragma once
/// `tributary estimate --mode fluid`: flows among the machines of the equations.

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

/// Estimates an all-reduce of a tensor of `bytes` > 0 on each GPU. The result includes tencent if a machine has a power of
/// two of GPUs, and trees if the number of machines is a power of two.
std::vector<FluidEstimate> fluid_estimates(const collective::MachineCost& machine, double bytes);

}  // namespace tributary
