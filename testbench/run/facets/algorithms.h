#pragma once

#include <optional>
#include <string>

#include "platforms/topology/platform_description.h"

namespace tributary {

struct RunSpec;
class RunParameters;

/// Default algorithm of a collective on one platform.
struct DefaultAlgorithm {
  std::string name;
  std::string reason;  ///< why it is not the first algorithm of the family, one phrase
};

/// Defaults and checks of the algorithms of a family.
class FamilyAlgorithms {
 public:
  virtual ~FamilyAlgorithms() = default;

  /// Returns the default algorithm of a collective on a platform that cannot run the first of Family::algorithms(); nothing
  /// where it can. `given`: parameters of the run, with automatic values.
  virtual std::optional<DefaultAlgorithm> default_algorithm(const topology::PlatformDescription& /*platform*/,
                                                            const std::string& /*collective*/,
                                                            const RunParameters& /*given*/) const {
    return std::nullopt;
  }
  /// Returns the algorithm of a collective in a step whose requested algorithm has other collectives; empty: the default.
  virtual std::string substitute(const std::string& /*collective*/, const std::string& /*requested*/) const { return ""; }
  /// Replaces the algorithms of jobs for which the hardware has no room, if its parameters say so, and adds a note for each.
  virtual void admit(RunSpec&) const {}
  /// Checks what Family::resolve() leaves to the lowering of a message: that the machine can execute each job by its
  /// algorithm. Throws SetupError, ScheduleError or std::invalid_argument.
  virtual void check_carried(const RunSpec&, const RunParameters& /*resolved*/) const {}
};

}  // namespace tributary
