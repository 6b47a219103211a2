#include "modules/timing/lanes.h"

#include <time.h>

#include <algorithm>
#include <utility>

namespace tributary {
namespace {

std::uint64_t thread_cpu_ns() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(t.tv_nsec);
}

}  // namespace

// ---- one lane

void Lane::enqueue(Tick when, unsigned order, LaneMember& member) {
  queue_.emplace(when, order, &member);
  if (!all_.running_) all_.wake_(when);
}

Tick Lane::next() {
  while (!queue_.empty() && std::get<2>(queue_.top())->scheduled() != std::get<0>(queue_.top())) queue_.pop();
  return queue_.empty() ? never : std::get<0>(queue_.top());
}

void Lane::run(Tick now) {
  while (next() <= now) {
    running_ = std::get<1>(queue_.top());
    LaneMember& member = *std::get<2>(queue_.top());
    queue_.pop();
    member.run_in_lane();
  }
}

// ---- signals between threads

void LaneSignal::add() {
  count_.fetch_add(1);
  if (asleep_.load() == 0) return;
  const std::lock_guard lock(mutex_);
  changed_.notify_all();
}

void LaneSignal::wait_for(std::uint64_t count) {
  constexpr unsigned polls = 1000, yields = 200;
  for (unsigned i = 0; i < polls + yields; ++i) {
    if (count_.load(std::memory_order_acquire) >= count) return;
    if (i >= polls) std::this_thread::yield();
  }
  std::unique_lock lock(mutex_);
  ++asleep_;
  changed_.wait(lock, [&] { return count_.load() >= count; });
  --asleep_;
}

// ---- all lanes

Lanes::Lanes(unsigned count, std::function<void(Tick)> wake)
    : wake_(std::move(wake)), mailboxes_(std::size_t{count} * count), states_(count) {
  for (unsigned i = 0; i < count; ++i) lanes_.push_back(std::make_unique<Lane>(*this));
  for (unsigned i = 1; i < count; ++i) threads_.emplace_back([this, i] { work(i); });
}

Lanes::~Lanes() {
  stop_ = true;
  begun_.add();
  for (std::thread& thread : threads_) thread.join();
}

template <class Call>
void Lanes::timed(unsigned lane, std::uint64_t LaneTimes::Of::*into, Call&& call) {
  if (!measures_) return call();
  const std::uint64_t begin = thread_cpu_ns();
  call();
  const std::uint64_t used = thread_cpu_ns() - begin;
  states_[lane].times.*into += used;
  states_[lane].in_step += used;
}

void Lanes::run(unsigned lane) {
  if (lanes_[lane]->next() > now_) return;
  ++states_[lane].times.steps;
  try {
    timed(lane, &LaneTimes::Of::run, [&] { lanes_[lane]->run(now_); });
  } catch (...) {
    states_[lane].error = std::current_exception();
    states_[lane].failed = lanes_[lane]->running_;
  }
}

// A lane that has failed may have left others without a part of its arrivals, which no longer matter.
void Lanes::drain(unsigned lane) {
  if (states_[lane].error) return;
  try {
    timed(lane, &LaneTimes::Of::drain, [&] {
      for (unsigned from = 0; from < count(); ++from) mailbox(from, lane).drain(now_);
    });
  } catch (...) {
    states_[lane].error = std::current_exception();
    states_[lane].failed = ~0u;  // errors of members come first
  }
}

void Lanes::part(unsigned lane) {
  run(lane);
  ran_.add();
  ran_.wait_for(steps_ * count());
  drain(lane);
}

void Lanes::work(unsigned lane) {
  for (std::uint64_t step = 1;; ++step) {
    begun_.wait_for(step);
    if (stop_) return;
    part(lane);
    done_.add();
  }
}

void Lanes::run_alone(unsigned lane) {
  run(lane);
  for (unsigned to = 0; to < count(); ++to) drain(to);
}

void Lanes::finish_step() {
  std::uint64_t most = 0;
  for (Thread& state : states_) most = std::max(most, std::exchange(state.in_step, 0));
  slowest_ += most;
  const auto first = std::min_element(states_.begin(), states_.end(), [](const Thread& a, const Thread& b) {
    return std::pair(!a.error, a.failed) < std::pair(!b.error, b.failed);
  });
  if (!first->error) return;
  const std::exception_ptr error = first->error;
  for (Thread& state : states_) state.error = nullptr;
  for (LaneMailbox& box : mailboxes_) box.clear();
  later_.clear();
  std::rethrow_exception(error);
}

Tick Lanes::step(Tick now) {
  now_ = now;
  unsigned due = 0, last = 0;
  for (unsigned i = 0; i < count(); ++i)
    if (lanes_[i]->next() <= now) ++due, last = i;
  running_ = true;
  if (due == 1) {
    ++alone_;
    run_alone(last);
  } else if (due > 1) {
    ++steps_;
    begun_.add();
    part(0);
    done_.add();
    done_.wait_for(steps_ * count());
  }
  running_ = false;
  finish_step();
  for (const auto& call : std::exchange(later_, {})) call();
  Tick next = never;
  for (const auto& lane : lanes_) next = std::min(next, lane->next());
  return next;
}

void Lanes::later(std::function<void()> call) {
  if (!running_) return call();
  const std::lock_guard lock(mutex_);
  later_.push_back(std::move(call));
}

LaneTimes Lanes::times() const {
  LaneTimes all;
  for (const Thread& state : states_) all.lanes.push_back(state.times);
  for (unsigned from = 0; from < count(); ++from)
    for (unsigned to = 0; to < count(); ++to)
      all.lanes[from].packets += mailboxes_[std::size_t{from} * count() + to].packets();
  all.steps = steps_ + alone_;
  all.alone = alone_, all.slowest = slowest_;
  return all;
}

}  // namespace tributary
