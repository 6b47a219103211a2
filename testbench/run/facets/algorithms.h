#pragma once

#include <string>

#include "platforms/topology/platform_description.h"

namespace tributary {

struct RunSpec;
class RunParameters;

/// Defaults and checks of the algorithms of a family.
class FamilyAlgorithms {
 public:
  virtual ~FamilyAlgorithms() = default;

  /// Returns the default algorithm of a collective on a platform that cannot run the first of Family::methods(); empty where
  /// it can.
  virtual std::string default_algorithm(const topology::PlatformDescription& /*platform*/,
                                        const std::string& /*collective*/) const {
    return "";
  }
  /// Checks what Family::resolve() leaves to the lowering of a message: that the machine can execute each job by its
  /// algorithm. Throws SetupError, ScheduleError or std::invalid_argument.
  virtual void check_carried(const RunSpec&, const RunParameters& /*resolved*/) const {}
};

}  // namespace tributary
