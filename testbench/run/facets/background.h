#pragma once

#include <string>

#include "modules/base/units.h"
#include "platforms/topology/platform_description.h"

namespace tributary {

/// Random traffic in addition to the jobs: RunSpec::background_load.
class FamilyBackground {
 public:
  virtual ~FamilyBackground() = default;

  /// Returns n if all traffic can go to one of the endpoints 0 to n - 1 (incast); 0 if it cannot.
  virtual int targets(const topology::PlatformDescription& /*platform*/) const { return 0; }
};

/// Generators of random traffic in a platform.
class DriverBackground {
 public:
  virtual ~DriverBackground() = default;

  virtual void start_background(Tick t0) = 0;
  virtual void stop_background(Tick when) = 0;
};

}  // namespace tributary
