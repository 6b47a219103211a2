#include "modules/timing/lanes.h"

#include <algorithm>
#include <numeric>
#include <system_error>
#include <tuple>
#include <utility>

namespace tributary {

Lanes::Lanes(unsigned count, std::function<void(Tick)> wake, unsigned processors)
    : wake_(std::move(wake)), mailboxes_(std::size_t{count} * count), states_(count) {
  for (unsigned i = 0; i < count; ++i) lanes_.push_back(std::make_unique<Lane>(*this));
  if (processors == 0) processors = std::max(1u, std::thread::hardware_concurrency());
  try {
    for (unsigned i = 1; i < std::min(count, processors); ++i) threads_.emplace_back([this, i] { work(i); });
  } catch (const std::system_error&) {  // no memory for the stack of a thread: those that exist serve all lanes
  }
}

Lanes::~Lanes() {
  stop_ = true;
  begun_.add();
  for (std::thread& thread : threads_) thread.join();
}

LaneMailbox& Lanes::mailbox(unsigned from, unsigned to) {
  std::vector<unsigned>& known = states_.at(to).from;
  if (std::find(known.begin(), known.end(), from) == known.end()) {
    known.push_back(from);
    states_.at(from).to.push_back(to);
  }
  return box(from, to);
}

void Lanes::distribute(LaneTransport& transport) {
  transport_ = &transport;
  wake_ = [](Tick) {};
  for (unsigned i = 0; i < count(); ++i) states_[i].elsewhere = !transport.owns(i);
}

void Lanes::measure() {
  for (State& state : states_) state.meter.start();
  in_turn_ = threads_.size() + 1 < count();
}

// ---- one lane, on its thread

/// Takes what other lanes have published, and returns the earliest time at which one of them may decide anything. Safe
/// times are read first: what was published before one of them has arrived.
Tick Lanes::take_arrivals(unsigned lane) {
  State& state = states_[lane];
  Tick others = never;
  for (const unsigned from : state.from) others = std::min(others, states_[from].safe_until.load(std::memory_order_acquire));
  for (const unsigned from : state.from) {
    LaneMailbox& arrivals = box(from, lane);
    if (!arrivals.published()) continue;
    state.meter.timed(&LaneTimes::Of::drain, lanes_[lane]->now(now_), [&] { arrivals.drain(now_); });
    lanes_[lane]->informed();
  }
  return others;
}

void Lanes::publish(unsigned lane) {
  State& state = states_[lane];
  state.clock.store(state.meter.clock, std::memory_order_relaxed);
  bool any = false;
  for (const unsigned to : state.to) any |= box(lane, to).publish();
  if (any) changed_.add();
}

/// A safe time never falls. An arrival may wake a member before that time, but not for a decision before it.
void Lanes::raise_safe_time(unsigned lane, Tick when) {
  std::atomic<Tick>& safe_until = states_[lane].safe_until;
  if (when <= safe_until.load(std::memory_order_relaxed)) return;
  safe_until.store(when, std::memory_order_release);
  if (!states_[lane].to.empty()) changed_.add();
}

void Lanes::fail(unsigned lane, Tick when, unsigned order) {
  State& state = states_[lane];
  state.error = std::current_exception();
  state.failed_at = when, state.failed = order;
  Tick earliest = failed_at_.load();
  while (when < earliest && !failed_at_.compare_exchange_weak(earliest, when)) {
  }
  state.done = true;
  changed_.add();
}

void Lanes::run(unsigned lane, Tick when) {
  State& state = states_[lane];
  if (std::exchange(state.blocked, false) && state.meter.measures())
    for (const unsigned from : state.from) state.meter.continue_after(states_[from].clock.load(std::memory_order_relaxed));
  ++state.meter.times.steps;
  try {
    state.meter.timed(&LaneTimes::Of::run, when, [&] { lanes_[lane]->run(); });
    publish(lane);
  } catch (...) {
    fail(lane, when, lanes_[lane]->running());
  }
}

/// Runs the next member of a lane if it may run. After a failure the lane runs what is due until then, because an earlier
/// failure may follow.
Lanes::Progress Lanes::advance(unsigned lane) {
  State& state = states_[lane];
  Lane& own = *lanes_[lane];
  Tick others = never;
  try {
    others = take_arrivals(lane);
  } catch (...) {
    fail(lane, own.now(now_), ~0u);  // failures of members come first
    return Progress::done;
  }
  const Tick failed_at = failed_at_.load(std::memory_order_relaxed);
  const Tick end = failed_at < end_ ? failed_at + 1 : end_;
  Tick next = own.next();
  if (next < end && own.may_run(others, lookahead_)) {
    raise_safe_time(lane, next);
    run(lane, next);
    return state.done ? Progress::done : Progress::ran;
  }
  const Tick safe = own.unaffected_until(others, lookahead_);
  raise_safe_time(lane, std::min({next, safe, end}));
  if (next >= end && safe >= end) {
    state.done = true;
    return Progress::done;
  }
  state.blocked = true;
  return Progress::blocked;
}

// ---- threads

/// Advances every lane of a worker until the step ends for all of them.
void Lanes::serve(unsigned worker) {
  const auto workers = static_cast<unsigned>(threads_.size()) + 1;
  for (;;) {
    const std::uint64_t seen = changed_.count();
    bool ran = false, open = false;
    for (unsigned lane = worker; lane < count(); lane += workers) {
      while (!states_[lane].done && advance(lane) == Progress::ran) ran = true;
      open |= !states_[lane].done;
    }
    if (!open) return;
    if (!ran) changed_.wait_for(seen + 1);
  }
}

/// Advances the lane whose clock is lowest, as if each had a processor of its own.
void Lanes::serve_in_turn() {
  std::vector<unsigned> order(count());
  std::iota(order.begin(), order.end(), 0u);
  for (bool open = true; open;) {
    std::sort(order.begin(), order.end(), [this](unsigned a, unsigned b) {
      return std::pair(states_[a].meter.clock, a) < std::pair(states_[b].meter.clock, b);
    });
    open = false;
    for (const unsigned lane : order) {
      if (states_[lane].done) continue;
      open = true;
      if (advance(lane) == Progress::ran) break;
    }
  }
}

void Lanes::work(unsigned worker) {
  for (std::uint64_t step = 1;; ++step) {
    begun_.wait_for(step);
    if (stop_) return;
    serve(worker);
    done_.add();
  }
}

// ---- steps, on the kernel's thread

// While no member is due, safe times rise by one lookahead each, so a step has a maximum length.
void Lanes::begin(Tick now, Tick end) {
  constexpr Tick longest = 1000;  // lookaheads
  now_ = now, end_ = std::max(std::min(end, now + longest * lookahead_), now + 1);
  failed_at_ = never;
  for (State& state : states_) {
    state.safe_until.store(now, std::memory_order_relaxed);
    state.blocked = false;
    state.done = state.elsewhere;
  }
  for (const auto& lane : lanes_) lane->informed();
}

LaneFailure Lanes::first_failure() const {
  const auto first = std::min_element(states_.begin(), states_.end(), [](const State& a, const State& b) {
    return std::tuple(!a.error, a.failed_at, a.failed) < std::tuple(!b.error, b.failed_at, b.failed);
  });
  return {first->failed_at, first->failed, first->error};
}

void Lanes::abandon(const std::exception_ptr& error) {
  for (State& state : states_) state.error = nullptr;
  for (LaneMailbox& mail : mailboxes_) mail.clear();
  later_.clear();
  std::rethrow_exception(error);
}

/// All lanes meet: they take the last arrivals, and their clocks advance to the latest one.
void Lanes::meet() {
  if (const LaneFailure failure = first_failure(); failure.error) abandon(failure.error);
  std::vector<LaneMeter*> meters;
  std::uint64_t latest = 0;
  for (unsigned lane = 0; lane < count(); ++lane) {
    take_arrivals(lane);
    meters.push_back(&states_[lane].meter);
    latest = std::max(latest, states_[lane].meter.clock);
  }
  slowest_ += slowest_of_each_time(meters);
  for (LaneMeter* meter : meters) meter->continue_after(latest);
}

/// The lanes of all processes meet: those of this one take what the others have posted. Returns the time of the next step.
Tick Lanes::meet_processes() {
  transport_->exchange();
  LaneFailure failure = first_failure();
  for (unsigned lane = 0; lane < count() && !failure.error; ++lane) {
    if (states_[lane].elsewhere) continue;
    try {
      take_arrivals(lane);
    } catch (...) {
      failure = {lanes_[lane]->now(now_), ~0u, std::current_exception()};
    }
  }
  running_ = false;
  if (!failure.error)
    for (const auto& call : std::exchange(later_, {})) call();
  const Tick after = transport_->agree([this] { return next(); }, failure);
  if (failure.error) abandon(failure.error);
  return after;
}

Tick Lanes::next() const {
  Tick next = never;
  for (unsigned i = 0; i < count(); ++i)
    if (!states_[i].elsewhere) next = std::min(next, lanes_[i]->next());
  return next;
}

Tick Lanes::agree() {
  LaneFailure none;
  return transport_ == nullptr ? next() : transport_->agree([this] { return next(); }, none);
}

void Lanes::run_lanes() {
  unsigned due = 0, last = 0;
  for (unsigned i = 0; i < count(); ++i)
    if (!states_[i].elsewhere && lanes_[i]->next() < end_) ++due, last = i;
  ++steps_;
  if (due <= 1 && end_ == now_ + 1) {
    ++alone_;
    while (!states_[last].done) advance(last);
  } else if (in_turn_) {
    serve_in_turn();
  } else {
    begun_.add();
    serve(0);
    done_.add();
    done_.wait_for((steps_ - alone_) * (threads_.size() + 1));
  }
}

Tick Lanes::step(Tick now, Tick end) {
  begin(now, end);
  running_ = true;
  run_lanes();
  if (transport_ != nullptr) return meet_processes();
  running_ = false;
  meet();
  for (const auto& call : std::exchange(later_, {})) call();
  return next();
}

void Lanes::later(std::function<void()> call) {
  if (!running_) return call();
  const std::lock_guard lock(mutex_);
  later_.push_back(std::move(call));
}

LaneTimes Lanes::times() const {
  LaneTimes all;
  for (const State& state : states_) {
    all.lanes.push_back(state.meter.times);
    all.end = std::max(all.end, state.meter.clock);
  }
  for (unsigned from = 0; from < count(); ++from)
    for (unsigned to = 0; to < count(); ++to)
      all.lanes[from].packets += mailboxes_[std::size_t{from} * count() + to].packets();
  all.steps = steps_, all.alone = alone_, all.slowest = slowest_;
  return all;
}

}  // namespace tributary
