#pragma once

#include <memory>

#include "modules/timing/completion_listener.h"
#include "platforms/part_place.h"

namespace tributary {

class Driver;
struct RunSpec;
class RunParameters;

/// A family whose devices can be in the platform of another family, which finds this ability by the type.
class FamilyPart {
 public:
  virtual ~FamilyPart() = default;

  /// Returns a driver whose devices are at `place`, which outlives it. `spec`: jobs on these devices; its platform is the
  /// part, or one of several equal ones. Throws as Family::make() does.
  virtual std::unique_ptr<Driver> make_in(PartPlace& place, const RunSpec& spec, const RunParameters& params,
                                          CompletionListener& listener) const = 0;
};

}  // namespace tributary
