/// The example of docs/adding_a_collective.md, which quotes this file.
#include <catch2/catch.hpp>

#include "testbench/collective/algorithm/star.h"
#include "testbench/collective/schedule/symbolic.h"

namespace tributary::test_star {

using namespace tributary::collective;
using Catch::Matchers::Contains;

TEST_CASE("star: correct for any number of ranks", "[pure][example]") {
  for (int ranks = 1; ranks <= 20; ++ranks) {
    const Schedule star = star_allreduce(ranks);
    CHECK_NOTHROW(verify(star));
    CHECK(star.programs[0].size() == static_cast<std::size_t>(3 * (ranks - 1)));
  }
  CHECK_THROWS_WITH(star_allreduce(0), "star: 0 ranks; at least 1");
}

TEST_CASE("star: the proof finds errors in it", "[pure][example]") {
  Schedule hasty = star_allreduce(4);
  for (Operation& o : hasty.programs[0])
    if (o.kind == OperationKind::send) o.deps.clear();  // the sum is sent before it is complete
  CHECK_THROWS_WITH(verify(hasty), Contains("race for a chunk"));

  Schedule forgetful = star_allreduce(4);
  for (Operation& o : forgetful.programs[0])
    if (o.kind == OperationKind::reduce && o.peer == 2) o.kind = OperationKind::copy;  // the others are overwritten
  CHECK_THROWS_WITH(verify(forgetful), Contains("the operand of rank 0 0 times"));
}

}  // namespace tributary::test_star
