#pragma once

#include <string>

#include "modules/base/units.h"

namespace tributary {

/// Random traffic in addition to the jobs: RunSpec::background_load.
class FamilyBackground {
 public:
  virtual ~FamilyBackground() = default;

  /// Returns the number of endpoints, from 0 on, to one of which all traffic can go (incast); 0 if that is not possible.
  virtual int targets(const std::string& /*platform*/) const { return 0; }
};

/// Generators of random traffic in a platform.
class DriverBackground {
 public:
  virtual ~DriverBackground() = default;

  virtual void start_background(Tick t0) = 0;
  virtual void stop_background(Tick when) = 0;
};

}  // namespace tributary
