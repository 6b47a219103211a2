#pragma once
/// Lanes: groups of devices, each of which runs on a thread of its own between two steps of the kernel (docs/parallel.md).

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <queue>
#include <thread>
#include <tuple>
#include <vector>

#include "modules/base/units.h"
#include "modules/link/lane_crossing.h"

namespace tributary {

class Lanes;

/// A device, as its lane sees it.
class LaneMember {
 public:
  virtual ~LaneMember() = default;
  /// Returns the time for which its next wake-up is scheduled.
  virtual Tick scheduled() const = 0;
  /// Runs it at its scheduled time, which is the kernel's time.
  virtual void run_in_lane() = 0;
};

/// The devices of one lane that wait for their wake-ups. Only the thread of the lane uses it during a step, and only the
/// kernel's thread between steps.
class Lane {
 public:
  explicit Lane(Lanes& all) : all_(all) {}
  /// Schedules a member, whose scheduled() returns `when`; an earlier entry of the member with another time is void.
  /// Members of one time run in ascending `order`, which differs among members.
  void enqueue(Tick when, unsigned order, LaneMember& member);
  /// Returns the time of the next wake-up; `never` without one.
  Tick next();
  /// Runs all members that are due at `now`.
  void run(Tick now);

 private:
  friend class Lanes;
  using Entry = std::tuple<Tick, unsigned, LaneMember*>;

  Lanes& all_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
  unsigned running_ = 0;  // order of the member that runs
};

/// CPU time of the lanes, in nanoseconds.
struct LaneTimes {
  struct Of {
    std::uint64_t run = 0, drain = 0;  ///< work of devices; arrivals from other lanes
    std::uint64_t steps = 0;           ///< steps in which a device of the lane was due
    std::uint64_t packets = 0;         ///< packets sent into other lanes
  };
  std::vector<Of> lanes;
  std::uint64_t steps = 0;
  std::uint64_t alone = 0;    ///< steps with one lane that was due
  std::uint64_t slowest = 0;  ///< sum over the steps of the time of the slowest lane
};

/// A counter that threads wait for: first awake, because steps are short, then asleep.
class LaneSignal {
 public:
  void add();
  void wait_for(std::uint64_t count);

 private:
  std::atomic<std::uint64_t> count_{0};
  std::atomic<unsigned> asleep_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
};

/// Runs steps. In a step every lane runs its members that are due, and then takes what the other lanes have posted to it.
class Lanes {
 public:
  /// `wake`: called on the kernel's thread between steps when a member asks for a wake-up at a time.
  Lanes(unsigned count, std::function<void(Tick)> wake);
  ~Lanes();
  Lanes(const Lanes&) = delete;
  Lanes& operator=(const Lanes&) = delete;

  unsigned count() const { return static_cast<unsigned>(lanes_.size()); }
  Lane& lane(unsigned i) { return *lanes_.at(i); }
  LaneMailbox& mailbox(unsigned from, unsigned to) { return mailboxes_.at(std::size_t{from} * count() + to); }

  /// Runs all members that are due at `now`, and returns the time of the next step. Calls `later` functions at its end.
  /// Rethrows the exception of the first member in the order of lanes, if any has thrown.
  Tick step(Tick now);
  /// Calls a function on the kernel's thread when no lane runs: at the end of the step, or immediately between steps. May
  /// be called from every lane.
  void later(std::function<void()> call);
  /// Measures CPU times from now on.
  void measure() { measures_ = true; }
  LaneTimes times() const;

 private:
  friend class Lane;
  struct alignas(128) Thread {
    LaneTimes::Of times;
    std::uint64_t in_step = 0;  // CPU time of this step
    std::exception_ptr error;
    unsigned failed = 0;  // order of the member that has thrown
  };
  void work(unsigned lane);
  void run(unsigned lane);
  void drain(unsigned lane);
  void part(unsigned lane);
  void run_alone(unsigned lane);
  void finish_step();
  template <class Call>
  void timed(unsigned lane, std::uint64_t LaneTimes::Of::*into, Call&& call);

  std::function<void(Tick)> wake_;
  std::deque<LaneMailbox> mailboxes_;  // [from][to]
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::vector<Thread> states_;
  bool running_ = false, measures_ = false;
  Tick now_ = 0;
  std::uint64_t steps_ = 0;  // with all threads
  std::uint64_t alone_ = 0, slowest_ = 0;
  std::mutex mutex_;
  std::vector<std::function<void()>> later_;
  LaneSignal begun_, ran_, done_;
  std::atomic<bool> stop_{false};
  std::vector<std::thread> threads_;  // for lanes from 1 on; last, because they use the others
};

}  // namespace tributary
