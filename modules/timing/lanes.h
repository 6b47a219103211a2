#pragma once
/// Lanes: groups of devices, each of which runs on a thread of its own between two steps of the kernel (docs/parallel.md).

#include <atomic>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "modules/base/units.h"
#include "modules/link/lane_crossing.h"
#include "modules/timing/lane.h"
#include "modules/timing/lane_signal.h"
#include "modules/timing/lane_times.h"
#include "modules/timing/lane_transport.h"

namespace tributary {

/// Runs steps, in which each lane advances on its own as far as the others permit. A lane has a safe time, before which it
/// decides nothing, and a decision has an effect in another lane `lookahead` later at the earliest. A member runs
///
/// * when all lanes with links into its lane have a safe time of at least its wake-up: all that happens before it is known;
/// * or earlier, when the guarantees of its own links are at least as good.
///
/// So a member runs with the knowledge that it has on one thread, or more, and decides the same.
class Lanes {
 public:
  /// `wake`: called on the kernel's thread between steps when a member asks for a wake-up at a time.
  /// `processors`: threads at most; 0: as many as the machine has.
  Lanes(unsigned count, std::function<void(Tick)> wake, unsigned processors = 0);
  ~Lanes();
  Lanes(const Lanes&) = delete;
  Lanes& operator=(const Lanes&) = delete;

  unsigned count() const { return static_cast<unsigned>(lanes_.size()); }
  Lane& lane(unsigned i) { return *lanes_.at(i); }
  /// Returns the mailbox of a link, with which lane `to` follows lane `from`. Call during elaboration.
  LaneMailbox& mailbox(unsigned from, unsigned to);
  /// Sets the least time from a decision in one lane to its effect in another, in ps.
  void set_lookahead(Tick lookahead) { lookahead_ = lookahead; }
  /// Runs in this process only the lanes that the transport owns. Call before the first step. Each step must then be one of
  /// one time, and wake-ups of members between steps take effect by agree().
  void distribute(LaneTransport& transport);
  /// Returns the time of the next step of all processes, after members have been scheduled between steps.
  Tick agree();
  /// Returns a mailbox, for a transport.
  LaneMailbox& box(unsigned from, unsigned to) { return mailboxes_[std::size_t{from} * count() + to]; }
  /// True during a step.
  bool running() const { return running_; }

  /// Runs all members that are due before `end`, or at `now` if `end` is not later, and returns the time of the next step.
  /// Nothing outside the lanes may act on a member before `end`. Calls `later` functions at its end. If members have thrown,
  /// rethrows the exception of the first of them, by time and then by order; members that are due later may have run.
  Tick step(Tick now, Tick end = 0);
  /// Calls a function on the kernel's thread when no lane runs: at the end of the step, or immediately between steps. May
  /// be called from every lane.
  void later(std::function<void()> call);
  /// Measures CPU times from now on. With fewer processors than lanes, the lanes then run one after another.
  void measure();
  LaneTimes times() const;

 private:
  friend class Lane;
  enum class Progress { ran, blocked, done };
  struct alignas(128) State {
    std::vector<unsigned> from;  // lanes with links into this one
    std::vector<unsigned> to;
    LaneMeter meter;
    bool blocked = false, done = false;
    bool elsewhere = false;  // another process runs the lane
    std::exception_ptr error;
    Tick failed_at = never;  // time and order of the member that has thrown
    unsigned failed = 0;
    // Read by other lanes.
    alignas(128) std::atomic<Tick> safe_until{0};  // the lane decides nothing before this time
    std::atomic<std::uint64_t> clock{0};           // LaneMeter::clock
  };
  void wake(Tick when) {
    if (!running_) wake_(when);
  }
  void work(unsigned worker);
  void serve(unsigned worker);
  void serve_in_turn();
  void begin(Tick now, Tick end);
  Progress advance(unsigned lane);
  Tick take_arrivals(unsigned lane);
  void run(unsigned lane, Tick when);
  void publish(unsigned lane);
  void raise_safe_time(unsigned lane, Tick when);
  void fail(unsigned lane, Tick when, unsigned order);
  void run_lanes();
  void meet();
  Tick meet_processes();
  Tick next() const;
  LaneFailure first_failure() const;
  [[noreturn]] void abandon(const std::exception_ptr& error);

  std::function<void(Tick)> wake_;
  LaneTransport* transport_ = nullptr;  // null: all lanes run in this process
  std::deque<LaneMailbox> mailboxes_;   // [from][to]
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::deque<State> states_;
  Tick lookahead_ = 1;
  bool running_ = false, in_turn_ = false;
  Tick now_ = 0, end_ = 0;
  std::atomic<Tick> failed_at_{never};  // earliest failure of the step
  std::uint64_t steps_ = 0, alone_ = 0, slowest_ = 0;
  std::mutex mutex_;
  std::vector<std::function<void()>> later_;
  LaneSignal begun_, changed_, done_;
  std::atomic<bool> stop_{false};
  std::vector<std::thread> threads_;  // for workers from 1 on; last, because they use the others
};

}  // namespace tributary
