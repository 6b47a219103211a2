#pragma once
/// LaneTransport: facet of Lanes whose lanes run in several processes (docs/processes.md).

#include <exception>
#include <functional>

#include "modules/base/units.h"

namespace tributary {

/// The first failure of a step.
struct LaneFailure {
  Tick when = never;                   ///< time of the member that has thrown, in ps
  unsigned member = 0;                 ///< its order among the members of that time
  std::exception_ptr error = nullptr;  ///< null: no member has failed
};

class LaneTransport {
 public:
  virtual ~LaneTransport() = default;
  /// Returns true if the devices of the lane run in this process.
  virtual bool owns(unsigned lane) const = 0;
  /// Sends what lanes of this process have posted to lanes of others, and fills the mailboxes from others. Called in every
  /// step after the lanes have run and before they drain.
  virtual void exchange() = 0;
  /// Returns the earliest of the next times of all processes; `next` returns that of this one. `failure` becomes the first
  /// failure of all processes.
  virtual Tick agree(const std::function<Tick()>& next, LaneFailure& failure) = 0;
};

}  // namespace tributary
