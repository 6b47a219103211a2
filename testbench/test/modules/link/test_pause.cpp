// Pauses at the sender alone (IEEE 802.3 annex 31B: a pause holds for its quanta, the latest one counts).
#include <catch2/catch.hpp>

#include "modules/link/flow_control/pause.h"

using namespace tributary;

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

TEST_CASE("the latest pause counts: it ends an earlier one, or makes it longer", "[pure][flow_control]") {
  PauseFlowControl f(config);
  f.give_back(1'000, 100, 0);  // to 6 000
  f.give_back(2'000, 0, 0);    // go on, in effect at 2 100
  CHECK(f.may_start(1'100, 1) == 2'100);
  f.give_back(2'050, 4, 0);  // in effect at 2 150, to 2 250
  CHECK(f.may_start(1'200, 1) == 2'100);
  CHECK(f.may_start(2'160, 1) == 2'250);
  PauseFlowControl g(config);
  g.give_back(1'000, 10, 0);
  g.give_back(1'300, 10, 0);  // in effect at 1 400, to 1 800
  CHECK(g.may_start(1'100, 1) == 1'800);
}

TEST_CASE("a pause may become known in any order before it matters, and a pause shorter than the reaction has no effect",
          "[pure][flow_control]") {
  PauseFlowControl f(config);
  f.give_back(2'000, 0, 0);
  f.give_back(1'000, 100, 0);
  CHECK(f.may_start(1'100, 1) == 2'100);
  PauseFlowControl g(config);
  g.give_back(1'000, 2, 0);  // over when it could take effect
  CHECK(g.may_start(1'100, 1) == 1'100);
}

TEST_CASE("decisions are certain for a reaction time beyond what is known", "[pure][flow_control]") {
  const PauseFlowControl f(config);
  CHECK(f.decided_until(5'000, 0, 9'216, 80) == 5'100);
}
