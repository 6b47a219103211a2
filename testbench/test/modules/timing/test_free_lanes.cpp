// Lanes that advance on their own within a step: safe times, guarantees, the end of a step, and failures.
#include <catch2/catch.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "modules/timing/lanes.h"

namespace tributary::test_free_lanes {
namespace {

constexpr Tick lookahead = 20;

/// Wakes `runs` times from `first` on, `period` apart, and calls `action` each time.
class Member : public LaneMember {
 public:
  Member(Lanes& lanes, unsigned lane, unsigned order, std::function<void(Tick)> action = {})
      : lanes_(lanes), lane_(lane), order_(order), action_(std::move(action)) {}
  void start(Tick first, Tick period = 0, unsigned runs = 1) {
    period_ = period, left_ = runs, scheduled_ = first;
    lanes_.lane(lane_).enqueue(first, order_, *this);
  }
  /// Its links from other lanes guarantee that nothing has an effect before `until`.
  void guarantee(Tick until) {
    guaranteed_ = until;
    lanes_.lane(lane_).join(*this);
  }

  std::vector<Tick> ran;
  std::atomic<Tick> reached{0};  // time of the latest run

 private:
  Tick scheduled() const override { return scheduled_; }
  void run_in_lane() override {
    const Tick now = scheduled_;
    scheduled_ = never;
    ran.push_back(now);
    reached = now;
    if (action_) action_(now);
    if (--left_ == 0) return;
    scheduled_ = now + period_;
    lanes_.lane(lane_).enqueue(scheduled_, order_, *this);
  }
  Tick unaffected_until() const override { return guaranteed_; }
  bool informed(Tick now) const override { return now + lookahead <= guaranteed_; }

  Lanes& lanes_;
  unsigned lane_, order_;
  std::function<void(Tick)> action_;
  Tick scheduled_ = never, period_ = 0, guaranteed_ = 0;
  unsigned left_ = 1;
};

const auto ignore = [](Tick) {};

/// Joins two lanes by links in both directions.
void join(Lanes& lanes, unsigned a, unsigned b) {
  lanes.mailbox(a, b), lanes.mailbox(b, a);
  lanes.set_lookahead(lookahead);
}

/// Waits until a member of another thread has reached a time; false after ten seconds.
bool wait_for(const Member& member, Tick time) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (member.reached < time)
    if (std::chrono::steady_clock::now() > end) return false;
  return true;
}

void fail(Tick now) { throw std::runtime_error("at " + std::to_string(now)); }

}  // namespace

TEST_CASE("free lanes: one step runs all members that are due before its end", "[lanes]") {
  Lanes lanes(2, ignore);
  join(lanes, 0, 1);
  Member a(lanes, 0, 0), b(lanes, 1, 1);
  a.start(0, 10, 1000), b.start(5, 7, 1000);
  CHECK(lanes.step(0, 100) == 100);  // a member that is due at the end waits
  CHECK(a.ran.size() == 10);
  CHECK(b.ran.back() == 96);
}

TEST_CASE("free lanes: a step ends after a time in which safe times alone would rise", "[lanes]") {
  Lanes lanes(2, ignore);
  join(lanes, 0, 1);
  Member a(lanes, 0, 0);
  a.start(0, 1'000'000, 2);
  CHECK(lanes.step(0, never) == 1'000'000);
  CHECK(a.ran.size() == 1);
}

TEST_CASE("free lanes: a member without guarantees runs when all lanes with links to its own have passed", "[lanes]") {
  for (const unsigned processors : {1u, 2u}) {
    Lanes lanes(2, ignore, processors);
    join(lanes, 0, 1);
    Member a(lanes, 0, 0);
    Tick seen = 0;
    Member b(lanes, 1, 1, [&](Tick) { seen = a.reached; });
    a.start(0, 10, 100), b.start(505);
    lanes.step(0, 1000);
    CHECK(a.ran.size() == 100);
    CHECK(seen == 500);  // the member of the other lane has run up to then, and not beyond
  }
}

TEST_CASE("free lanes: a lane with guarantees runs far ahead of one that is busy", "[lanes]") {
  Lanes lanes(2, ignore, 2);
  join(lanes, 0, 1);
  Member ahead(lanes, 0, 0);
  ahead.guarantee(2000);
  bool reached = false;
  Member busy(lanes, 1, 1, [&](Tick) { reached = wait_for(ahead, 1900); });
  ahead.start(0, 100, 30), busy.start(10);
  lanes.step(0, 3000);
  CHECK(reached);
  CHECK(ahead.ran.size() == 30);
}

TEST_CASE("free lanes: no member runs beyond the guarantees of another one in its lane", "[lanes]") {
  Lanes lanes(2, ignore, 2);
  join(lanes, 0, 1);
  Member ahead(lanes, 0, 0), idle(lanes, 0, 1);
  ahead.guarantee(never), idle.guarantee(1000);
  Tick most = 0;
  Member busy(lanes, 1, 2, [&](Tick) {
    wait_for(ahead, 900);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    most = ahead.reached;
  });
  ahead.start(0, 100, 30), busy.start(10);
  lanes.step(0, 3000);
  CHECK(most == 900);
}

TEST_CASE("free lanes: lanes without links do not wait for each other", "[lanes]") {
  Lanes lanes(2, ignore, 2);
  Member ahead(lanes, 0, 0);
  bool reached = false;
  Member busy(lanes, 1, 1, [&](Tick) { reached = wait_for(ahead, 900); });
  ahead.start(0, 100, 10), busy.start(10);
  lanes.step(0, 2000);
  CHECK(reached);
}

TEST_CASE("free lanes: the earliest failure is reported, and no lane with links runs beyond it", "[lanes]") {
  for (const unsigned processors : {1u, 3u}) {
    Lanes lanes(3, ignore, processors);
    join(lanes, 0, 1), join(lanes, 1, 2), join(lanes, 0, 2);
    Member late(lanes, 0, 0, fail), early(lanes, 1, 9, fail), other(lanes, 2, 5);
    late.start(300), early.start(200), other.start(0, 10, 100);
    CHECK_THROWS_WITH(lanes.step(0, 1000), "at 200");
    CHECK(other.ran.back() == 200);
    CHECK_THROWS_WITH(lanes.step(210, 1000), "at 300");  // the lanes run on
    CHECK(other.ran.back() == 300);
  }
}

TEST_CASE("free lanes: a failure follows one that a lane ahead of it has had before", "[lanes]") {
  Lanes lanes(2, ignore, 2);
  join(lanes, 0, 1);
  Member ahead(lanes, 0, 0, fail);
  ahead.guarantee(2000);
  Member behind(lanes, 1, 1, [&](Tick now) {
    wait_for(ahead, 900);
    if (now == 500) fail(now);
  });
  ahead.start(900), behind.start(0, 100, 20);
  CHECK_THROWS_WITH(lanes.step(0, 3000), "at 500");
  CHECK(behind.ran.back() == 500);
}

TEST_CASE("free lanes: lanes that run in turn have the clocks of lanes with processors of their own", "[lanes]") {
  Lanes lanes(2, ignore, 1);
  join(lanes, 0, 1);
  lanes.measure();
  const auto work = [](Tick) {
    volatile unsigned sum = 0;
    for (unsigned i = 0; i < 200'000; ++i) sum = sum + i;
  };
  Member a(lanes, 0, 0, work), b(lanes, 1, 1, work);
  a.start(0, 100, 20), b.start(50, 100, 20);  // each waits for the other
  lanes.step(0, 2000);
  const LaneTimes times = lanes.times();
  const std::uint64_t sum = times.lanes[0].run + times.lanes[1].run;
  CHECK(times.end >= sum / 2);
  CHECK(times.slowest <= sum);
  CHECK(times.slowest >= sum / 2);
}

}  // namespace tributary::test_free_lanes
