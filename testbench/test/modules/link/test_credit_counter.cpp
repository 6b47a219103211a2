// Tests that credits keep their timestamps (docs/timing.md).
#include <catch2/catch.hpp>
#include <map>

#include "modules/base/random.h"
#include "modules/link/flow_control/credit_counter.h"

namespace tributary::test_credit_counter {

TEST_CASE("a credit counts from its timestamp on, not from the time at which it becomes known", "[pure][credits]") {
  CreditCounter c(20);
  c.spend(0, 18);
  CHECK(c.when_available(2) == 0);
  CHECK(c.when_available(9) == never);
  c.give_back(5000, 9, 0);
  CHECK(c.when_available(9) == 5000);
  CHECK(c.available() == 2);
  c.absorb(4999);
  CHECK(c.available() == 2);
  c.absorb(5000);
  CHECK(c.available() == 11);
  CHECK(c.when_available(11) == 0);
}

TEST_CASE("available credits are absorbed when they are needed", "[pure][credits]") {
  CreditCounter c(20);
  c.spend(0, 18);
  for (Tick when = 1000; when <= 2000; when += 500) c.give_back(when, 3, 0);
  CHECK(c.available_from(100, 2) == 100);
  CHECK(c.available_from(100, 3) == 1000);
  CHECK(c.available_from(1200, 5) == 1200);
  CHECK(c.available() == 5);
  CHECK(c.available_from(1200, 8) == 1500);
  CHECK(c.available_from(1200, 12) == never);
  c.spend(2000, 11);
  CHECK(c.outstanding() == 20);
}

TEST_CASE("credits that become known out of order count in order of time", "[pure][credits]") {
  CreditCounter c(18);
  c.spend(0, 18);
  c.give_back(3000, 4, 0);
  c.give_back(1000, 5, 0);
  c.give_back(2000, 6, 0);
  CHECK(c.when_available(5) == 1000);
  CHECK(c.when_available(6) == 2000);
  CHECK(c.when_available(12) == 3000);
  CHECK(c.when_available(16) == never);
  c.absorb(2000);
  CHECK(c.available() == 11);
}

TEST_CASE("the credits available by a time include those that arrive until then", "[pure][credits]") {
  CreditCounter c(30);
  c.spend(0, 28);
  c.give_back(3000, 9, 0);
  c.give_back(1000, 1, 0);
  c.give_back(2000, 5, 0);
  CHECK(c.available_by(999) == 2);
  CHECK(c.available_by(1000) == 3);
  CHECK(c.available_by(2999) == 8);
  CHECK(c.available_by(3000) == 17);
  c.absorb(2500);
  CHECK((c.available_by(2500) == 8 && c.available_by(9000) == 17));
}

TEST_CASE("all credits are home when all have been returned, those in flight included", "[pure][credits]") {
  CreditCounter c(9);
  CHECK(c.all_home());
  c.spend(0, 9);
  CHECK_FALSE(c.all_home());
  CHECK(c.outstanding() == 9);
  c.give_back(100, 8, 0);
  CHECK_FALSE(c.all_home());
  c.give_back(200, 1, 0);
  CHECK(c.all_home());
  c.reset();
  CHECK(c.available() == 9);
  CHECK(c.when_available(9) == 0);
}

TEST_CASE("under random traffic no credit is spent before its arrival, and none is lost", "[pure][credits]") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    constexpr unsigned capacity = 40;
    CreditCounter c(capacity);
    std::multimap<Tick, unsigned> model;  // changes of the available credits
    const auto there = [&](Tick now) {
      int sum = capacity;
      for (const auto& [when, flits] : model)
        if (when <= now) sum += static_cast<int>(flits);
      return sum;
    };
    Tick now = 0;
    int spent = 0;
    for (std::uint64_t i = 0; i < 200; ++i) {
      const auto flits = static_cast<unsigned>(1 + below(random_at(seed, 1, i), 9));
      const Tick when = std::max(now, c.when_available(flits));
      REQUIRE(when != never);  // 9 flits always return, see below
      REQUIRE((when == now || there(when - 1) - spent < static_cast<int>(flits)));
      now = when;
      c.absorb(now);
      REQUIRE(there(now) - spent >= static_cast<int>(flits));
      c.spend(now, flits);
      spent += static_cast<int>(flits);
      const Tick back = now + below(random_at(seed, 2, i), 5000);
      c.give_back(back, flits, now);
      model.emplace(back, flits);
      now += below(random_at(seed, 3, i), 300);
    }
    REQUIRE(c.all_home());
    c.absorb(never - 1);
    REQUIRE(c.available() == capacity);
  }
}

}  // namespace tributary::test_credit_counter
