/// Exchanges of servers by rails, and flat rings of slices: proofs, and the ranks between which messages go.
#include <catch2/catch.hpp>

#include "testbench/collective/schedule/symbolic.h"
#include "testbench/collective/staged/exchanges.h"
#include "testbench/collective/staged/flat_ring.h"

namespace tributary::test_exchanges {

using namespace tributary::collective;

namespace {

struct Sends {
  int inside = 0, between = 0, off_rail = 0;
};

Sends sends_of(const Schedule& schedule, int each) {
  Sends sends;
  for (int r = 0; r < schedule.ranks; ++r)
    for (const Operation& o : schedule.programs[static_cast<std::size_t>(r)]) {
      if (o.kind != OperationKind::send) continue;
      const bool stays = o.peer / each == r / each;
      stays ? ++sends.inside : ++sends.between;
      if (!stays && o.peer % each != r % each) ++sends.off_rail;
    }
  return sends;
}

}  // namespace

TEST_CASE("exchanges: an all-to-all by rails is proved, and leaves a server on the rail of its destination", "[pure]") {
  for (int m = 1; m <= 4; ++m)
    for (int q = 1; q <= 4; ++q) {
      INFO(m << " servers with " << q << " ranks");
      const Schedule schedule = alltoall_by_rails(m, q);
      verify(schedule);
      const Sends sends = sends_of(schedule, q);
      CHECK(sends.between == m * q * (m - 1) * q);
      CHECK(sends.inside == m * q * m * (q - 1));
      CHECK(sends.off_rail == 0);
    }
}

TEST_CASE("exchanges: a send and receive by rails is proved, and leaves a server on its first rail", "[pure]") {
  for (int m = 1; m <= 4; ++m)
    for (int q = 1; q <= 4; ++q) {
      INFO(m << " servers with " << q << " ranks");
      const Schedule schedule = sendrecv_by_rails(m, q, 3);
      verify(schedule);
      const Sends sends = sends_of(schedule, q);
      CHECK(sends.between == (m > 1 ? 3 * m : 0));
      CHECK(sends.off_rail == 0);
    }
}

TEST_CASE("flat rings: a reduce-scatter and an all-gather of slices are proved", "[pure]") {
  for (const StageWork work : {StageWork::reduce_scatter, StageWork::allgather})
    for (const int servers : {2, 3, 4})
      for (const bool joined : {false, true}) {
        collective::RailPlaces places;
        places.servers = servers, places.joined = joined;
        places.nic_of = {0, 1, 2, 3};
        const bool gathers = work == StageWork::allgather;
        INFO((gathers ? "allgather" : "reduce-scatter") << " of " << servers << " servers");
        const Schedule schedule = flat_ring_of_slices(work, flat_ring_orders(places));
        verify(schedule);
        const int ranks = 4 * servers;
        CHECK(schedule.chunks == 4 * ranks);
        CHECK(schedule.goals[4].to == (gathers ? every_rank : 1));
        CHECK(schedule.goals[4].from == (gathers ? 1 : every_rank));
        if (!joined) CHECK(sends_of(schedule, 4).off_rail == 0);
      }
  CHECK_THROWS_AS(flat_ring_of_slices(StageWork::alltoall, {{0, 1}}), ScheduleError);
}

}  // namespace tributary::test_exchanges
