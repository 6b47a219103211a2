#pragma once

#include <memory>

#include "testbench/run/fluid_lowering.h"

namespace tributary {

/// Lowers jobs to flows (docs/fluid.md).
class DriverFluid {
 public:
  virtual ~DriverFluid() = default;

  /// Returns the lowering, which refers to the driver.
  virtual std::unique_ptr<FluidLowering> fluid() = 0;
};

}  // namespace tributary
