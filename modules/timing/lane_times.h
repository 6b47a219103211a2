#pragma once
/// LaneTimes and LaneMeter: processor times of lanes.

#include <cstdint>
#include <utility>
#include <vector>

#include "modules/base/units.h"

namespace tributary {

/// CPU time of the lanes, in nanoseconds.
struct LaneTimes {
  struct Of {
    std::uint64_t run = 0, drain = 0;  ///< work of devices; arrivals from other lanes
    std::uint64_t steps = 0;           ///< wake-ups of devices
    std::uint64_t packets = 0;         ///< packets sent into other lanes
  };
  std::vector<Of> lanes;
  std::uint64_t steps = 0;
  std::uint64_t alone = 0;    ///< steps that one lane has made alone
  std::uint64_t slowest = 0;  ///< sum, over all times at which devices wake, of the time of the slowest lane
  std::uint64_t end = 0;      ///< time of all steps with one processor for each lane, which waits for arrivals
};

/// Measures the work of one lane. Only its thread calls.
class LaneMeter {
 public:
  /// Work at one time of the lane.
  struct Piece {
    Tick when;
    std::uint64_t ns;
  };

  void start() { measures_ = true; }
  bool measures() const { return measures_; }
  /// Makes a call, which belongs to the time `when` of the lane, and adds its CPU time.
  template <class Call>
  void timed(std::uint64_t LaneTimes::Of::*into, Tick when, Call&& call) {
    if (!measures_) return call();
    const std::uint64_t begin = thread_cpu_ns();
    call();
    add(into, when, thread_cpu_ns() - begin);
  }
  /// The lane continues with what another one has sent at `end` of that one's clock.
  void continue_after(std::uint64_t end) {
    if (end > clock) clock = end;
  }

  LaneTimes::Of times;
  std::uint64_t clock = 0;    ///< time of the lane, ns, if each lane had a processor
  std::vector<Piece> pieces;  ///< work of this step, in order of time

 private:
  static std::uint64_t thread_cpu_ns();
  void add(std::uint64_t LaneTimes::Of::*into, Tick when, std::uint64_t ns);

  bool measures_ = false;
};

/// Returns the sum, over all times of the pieces, of the time of the slowest lane, and removes the pieces.
std::uint64_t slowest_of_each_time(const std::vector<LaneMeter*>& lanes);

}  // namespace tributary
