// Tests pauses at the sender (IEEE 802.3 annex 31B: a pause holds for its quanta, and a later one replaces it).
#include <catch2/catch.hpp>

#include "modules/link/flow_control/pause.h"

namespace tributary::test_pause {
namespace {
constexpr PauseFlowControl::Config config{100, 50};  // reaction, quantum
}

TEST_CASE("a pause holds from its reaction time until its quanta have passed", "[pure][flow_control]") {
  PauseFlowControl f(config);
  f.give_back(1'000, 10, 0);  // 1 000 to 1 500
  CHECK(f.may_start(999, 1) == 999);
  CHECK(f.may_start(1'099, 1) == 1'099);  // not yet in effect
  CHECK(f.may_start(1'100, 1) == 1'500);
  CHECK(f.may_start(1'500, 1) == 1'500);
}

TEST_CASE("a later pause replaces an earlier one: it ends or extends it", "[pure][flow_control]") {
  PauseFlowControl f(config);
  f.give_back(1'000, 100, 0);  // to 6 000
  f.give_back(2'000, 0, 0);    // resume, in effect at 2 100
  CHECK(f.may_start(1'100, 1) == 2'100);
  f.give_back(2'050, 4, 0);  // in effect at 2 150, to 2 250
  CHECK(f.may_start(1'200, 1) == 2'100);
  CHECK(f.may_start(2'160, 1) == 2'250);
  PauseFlowControl g(config);
  g.give_back(1'000, 10, 0);
  g.give_back(1'300, 10, 0);  // in effect at 1 400, to 1 800
  CHECK(g.may_start(1'100, 1) == 1'800);
}

TEST_CASE(
    "pauses may become known in any order before they take effect, and one shorter than the reaction time has no effect",
    "[pure][flow_control]") {
  PauseFlowControl f(config);
  f.give_back(2'000, 0, 0);
  f.give_back(1'000, 100, 0);
  CHECK(f.may_start(1'100, 1) == 2'100);
  PauseFlowControl g(config);
  g.give_back(1'000, 2, 0);  // ended before it could take effect
  CHECK(g.may_start(1'100, 1) == 1'100);
}

TEST_CASE("decisions are certain for one reaction time beyond the known pauses", "[pure][flow_control]") {
  const PauseFlowControl f(config);
  CHECK(f.decided_until(5'000, 0, 9'216, 80) == 5'100);
}

}  // namespace tributary::test_pause
