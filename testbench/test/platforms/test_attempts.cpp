#include <catch2/catch.hpp>
#include <cmath>

#include "platforms/attempts.h"

namespace tributary::test_attempts {

TEST_CASE("attempts: enough that a failure of any party is less probable than 10^-12", "[pure]") {
  CHECK(attempts(1, 8) == 1);
  CHECK(attempts(0.5, 1) == 40);  // 2^-39 > 10^-12 > 2^-40
  CHECK(attempts(0.9, 1) == 12);
  CHECK(attempts(0.5, 1024) == 50);
  for (const double success : {0.9, 0.5, 0.1, 0.01})
    for (const double parties : {1.0, 6.0, 64.0}) {
      const double n = attempts(success, parties);
      CHECK(parties * std::pow(1 - success, n) <= 1.0001e-12);
      CHECK(parties * std::pow(1 - success, n - 1) > 0.9999e-12);
    }
  CHECK(attempts(0, 1) == 1e5);
  CHECK(attempts(1e-9, 1) == 1e5);
}

TEST_CASE("attempts: a frame crosses a link if it is not lost and no bit is wrong", "[pure]") {
  CHECK(crossing(0, 0, 1500) == 1);
  CHECK(crossing(0.25, 0, 1500) == 0.75);
  CHECK(crossing(0, 1e-4, 125) == Approx(std::exp(-0.1)).epsilon(1e-4));
  CHECK(crossing(0.5, 1e-4, 125) == Approx(0.5 * std::exp(-0.1)).epsilon(1e-4));
}

}  // namespace tributary::test_attempts
