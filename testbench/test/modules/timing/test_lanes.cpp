// Steps of lanes without devices: order of wake-ups, threads, errors and calls between steps.
#include <catch2/catch.hpp>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "modules/timing/lanes.h"

namespace tributary::test_lanes {
namespace {

/// Notes its runs and wakes again after `period`, `runs` times.
class Member : public LaneMember {
 public:
  Member(Lanes& lanes, unsigned lane, unsigned order, std::vector<unsigned>* log = nullptr)
      : lanes_(lanes), lane_(lane), order_(order), log_(log) {}
  void start(Tick when, Tick period = 0, unsigned runs = 1) {
    period_ = period, left_ = runs;
    schedule(when);
  }
  void schedule(Tick when) {
    scheduled_ = when;
    lanes_.lane(lane_).enqueue(when, order_, *this);
  }
  void fail_with(std::string text) { failure_ = std::move(text); }

  std::vector<Tick> ran;
  std::thread::id thread;

 private:
  Tick scheduled() const override { return scheduled_; }
  void run_in_lane() override {
    ran.push_back(scheduled_);
    thread = std::this_thread::get_id();
    if (log_ != nullptr) log_->push_back(order_);
    const Tick now = scheduled_;
    scheduled_ = never;
    if (!failure_.empty()) throw std::runtime_error(failure_);
    if (--left_ > 0) schedule(now + period_);
  }

  Lanes& lanes_;
  unsigned lane_, order_;
  std::vector<unsigned>* log_;
  Tick scheduled_ = never, period_ = 0;
  unsigned left_ = 1;
  std::string failure_;
};

const auto ignore = [](Tick) {};

}  // namespace

TEST_CASE("lanes: members of one lane run by time and then by order", "[lanes]") {
  Lanes lanes(1, ignore);
  std::vector<unsigned> log;
  Member a(lanes, 0, 7, &log), b(lanes, 0, 3, &log), c(lanes, 0, 5, &log);
  a.start(20), b.start(20), c.start(10);
  CHECK(lanes.step(10) == 20);
  CHECK(log == std::vector<unsigned>{5});
  CHECK(lanes.step(20) == never);
  CHECK(log == std::vector<unsigned>{5, 3, 7});
}

TEST_CASE("lanes: a wake-up that moves to an earlier time happens once", "[lanes]") {
  Lanes lanes(2, ignore);
  Member a(lanes, 0, 0);
  a.start(50);
  a.schedule(30);
  CHECK(lanes.step(30) == never);
  CHECK(lanes.step(50) == never);
  CHECK(a.ran == std::vector<Tick>{30});
}

TEST_CASE("lanes: wake-ups between steps reach the kernel, those within a step do not", "[lanes]") {
  std::vector<Tick> asked;
  Lanes lanes(2, [&](Tick when) { asked.push_back(when); });
  Member a(lanes, 0, 0), b(lanes, 1, 1);
  a.start(10, 10, 3), b.start(10, 15, 2);
  CHECK(asked == std::vector<Tick>{10, 10});
  CHECK(lanes.step(10) == 20);
  CHECK(lanes.step(20) == 25);
  CHECK(lanes.step(25) == 30);
  CHECK(lanes.step(30) == never);
  CHECK(asked.size() == 2);
}

TEST_CASE("lanes: each lane has a thread of its own when several are due", "[lanes]") {
  Lanes lanes(3, ignore, 3);
  Member a(lanes, 0, 0), b(lanes, 1, 1), c(lanes, 2, 2);
  a.start(10), b.start(10), c.start(10);
  lanes.step(10);
  CHECK(a.thread == std::this_thread::get_id());
  CHECK(b.thread != a.thread);
  CHECK(c.thread != a.thread);
  CHECK(c.thread != b.thread);
  b.start(20);
  lanes.step(20);
  CHECK(b.thread == std::this_thread::get_id());  // one lane that is due needs no other thread
}

TEST_CASE("lanes: with fewer processors, a thread serves several lanes", "[lanes]") {
  Lanes lanes(3, ignore, 2);
  Member a(lanes, 0, 0), b(lanes, 1, 1), c(lanes, 2, 2);
  a.start(10), b.start(10), c.start(10);
  lanes.step(10);
  CHECK(a.thread == std::this_thread::get_id());
  CHECK(c.thread == a.thread);
  CHECK(b.thread != a.thread);
}

TEST_CASE("lanes: many steps of three lanes run every member at each of its times", "[lanes]") {
  constexpr unsigned runs = 2000;
  Lanes lanes(3, ignore);
  Member a(lanes, 0, 0), b(lanes, 1, 1), c(lanes, 2, 2);
  a.start(1, 1, runs), b.start(1, 2, runs), c.start(1, 3, runs);
  Tick next = 1;
  while (next != never) next = lanes.step(next);
  CHECK(a.ran.size() == runs);
  CHECK(b.ran.back() == 1 + 2 * (runs - 1));
  CHECK(c.ran.back() == 1 + 3 * (runs - 1));
}

TEST_CASE("lanes: the failure of the member with the lowest order is reported, and the other lanes stop", "[lanes]") {
  Lanes lanes(3, ignore);
  Member a(lanes, 0, 9), b(lanes, 1, 4), c(lanes, 2, 6);
  a.fail_with("nine"), b.fail_with("four");
  a.start(10), b.start(10), c.start(10);
  CHECK_THROWS_WITH(lanes.step(10), "four");
  CHECK(c.ran == std::vector<Tick>{10});
  c.start(20);  // the lanes run on
  CHECK(lanes.step(20) == never);
  CHECK(c.ran == std::vector<Tick>{10, 20});
}

TEST_CASE("lanes: calls for later wait for the end of the step", "[lanes]") {
  struct Caller : LaneMember {
    Lanes& lanes;
    bool in_call = false, called_within = false;
    explicit Caller(Lanes& all) : lanes(all) {}
    Tick scheduled() const override { return 10; }
    void run_in_lane() override {
      lanes.later([this] { in_call = true; });
      called_within = in_call;
    }
  };
  Lanes lanes(2, ignore);
  Caller caller(lanes);
  lanes.lane(1).enqueue(10, 0, caller);
  struct Once : LaneMember {
    Tick scheduled() const override { return 10; }
    void run_in_lane() override {}
  } other;
  lanes.lane(0).enqueue(10, 1, other);
  lanes.step(10);
  CHECK(!caller.called_within);
  CHECK(caller.in_call);
  bool immediate = false;
  lanes.later([&] { immediate = true; });
  CHECK(immediate);
}

TEST_CASE("lanes: processor times are measured on request", "[lanes]") {
  Lanes lanes(2, ignore);
  Member a(lanes, 0, 0), b(lanes, 1, 1);
  lanes.measure();
  a.start(10, 10, 3), b.start(20);
  for (Tick next = 10; next != never;) next = lanes.step(next);
  const LaneTimes times = lanes.times();
  CHECK(times.steps == 3);
  CHECK(times.alone == 2);
  CHECK(times.lanes.at(0).steps == 3);
  CHECK(times.lanes.at(1).steps == 1);
  CHECK(times.slowest <= times.lanes[0].run + times.lanes[0].drain + times.lanes[1].run + times.lanes[1].drain);
}

}  // namespace tributary::test_lanes
