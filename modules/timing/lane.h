#pragma once
/// Lane: devices that run on one thread, in the order of their wake-ups (docs/parallel.md).

#include <algorithm>
#include <queue>
#include <tuple>
#include <vector>

#include "modules/base/units.h"

namespace tributary {

class Lanes;

/// A device, as its lane sees it.
class LaneMember {
 public:
  virtual ~LaneMember() = default;
  /// Returns the time for which its next wake-up is scheduled.
  virtual Tick scheduled() const = 0;
  /// Runs it at its scheduled time, which is the time of the lane.
  virtual void run_in_lane() = 0;
  /// Returns the time before which nothing that has yet to arrive from other lanes can have an effect on it, by the
  /// guarantees of its links alone. Without such links it is `never`.
  virtual Tick unaffected_until() const { return 0; }
  /// True if these guarantees permit a full window from `now` on, and are at least as good as those which the member derives
  /// from the time of a wake-up.
  virtual bool informed(Tick /*now*/) const { return false; }
};

/// The devices of one lane that wait for their wake-ups. Only the thread of the lane uses it during a step, and only the
/// kernel's thread between steps.
class Lane {
 public:
  explicit Lane(Lanes& all) : all_(all) {}
  /// Adds a member during elaboration whose links lead into other lanes.
  void join(LaneMember& member) { linked_.push_back(&member); }
  /// Schedules a member, whose scheduled() returns `when`; an earlier entry of the member with another time is void.
  /// Members of one time run in ascending `order`, which differs among members.
  void enqueue(Tick when, unsigned order, LaneMember& member);
  /// Returns the time of the next wake-up; `never` without one.
  Tick next();
  /// Runs the next member.
  void run();
  /// Returns the time of the lane, which is that of its latest wake-up; `kernel`, the kernel's time, if that is later.
  Tick now(Tick kernel) const { return std::max(kernel, now_); }

  /// Returns true if the next member may run, in the knowledge that other lanes decide nothing before `others`, which has
  /// an effect `lookahead` later. Without that the lane would run beyond an arrival that it does not know.
  bool may_run(Tick others, Tick lookahead);
  /// Returns the time before which no unknown arrival has an effect in this lane.
  Tick unaffected_until(Tick others, Tick lookahead);
  /// Arrivals from other lanes have brought guarantees.
  void informed() { stale_ = true; }
  /// Returns the order of the latest member.
  unsigned running() const { return running_; }

 private:
  using Entry = std::tuple<Tick, unsigned, LaneMember*>;

  Lanes& all_;
  std::vector<LaneMember*> linked_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
  Tick now_ = 0;
  unsigned running_ = 0;
  Tick guaranteed_ = 0;  // minimum of unaffected_until() over the members with links from other lanes
  bool stale_ = true;    // guaranteed_ may have risen
};

}  // namespace tributary
