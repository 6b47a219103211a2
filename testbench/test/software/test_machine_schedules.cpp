/// Schedules among machines of several GPUs: proofs, and the data moved within and between machines.
#include <catch2/catch.hpp>

#include "testbench/collective/algorithm/machines.h"
#include "testbench/collective/schedule/direct_placement.h"
#include "testbench/collective/schedule/stepwise_proof.h"

namespace tributary::test_machine_schedules {

using namespace tributary::collective;

namespace {

/// Chunks that a rank sends to its own machine, and to others.
struct Sent {
  int inside = 0, across = 0;
};
Sent sent_by(const Schedule& schedule, int rank, int gpus) {
  Sent sent;
  for (const Operation& o : schedule.programs[static_cast<std::size_t>(rank)])
    if (o.kind == OperationKind::send) ++(o.peer / gpus == rank / gpus ? sent.inside : sent.across);
  return sent;
}

void prove(const Schedule& schedule) {
  verify_any(schedule);
  const FusedProgram program = fuse(schedule, false);
  verify_any(program);
  verify_direct_placement(program);
}

}  // namespace

TEST_CASE("machine schedules: parallel rings are all-reduces", "[machines]") {
  for (const int machines : {1, 2, 3, 4, 7})
    for (const int gpus : {1, 2, 3, 4, 8}) {
      INFO(machines << " machines of " << gpus);
      prove(parallel_ring_allreduce(machines, gpus));
    }
}

TEST_CASE("machine schedules: tencent is an all-reduce", "[machines]") {
  for (const int machines : {1, 2, 3, 4, 6})
    for (const int gpus : {1, 2, 4, 8, 16}) {
      INFO(machines << " machines of " << gpus);
      prove(tencent_allreduce(machines, gpus));
    }
  CHECK_THROWS_AS(tencent_allreduce(4, 6), ScheduleError);
  CHECK_THROWS_AS(tencent_allreduce(0, 4), ScheduleError);
}

// Fractions of the tensor: 2 (n-1)/n within machines, and 2 (H-1)/H of a slice of 1/n between them.
TEST_CASE("machine schedules: parallel rings share the links between machines", "[machines]") {
  const int machines = 4, gpus = 8;
  const Schedule schedule = parallel_ring_allreduce(machines, gpus);
  REQUIRE(schedule.chunks == machines * gpus);
  for (int r = 0; r < machines * gpus; ++r) {
    CHECK(sent_by(schedule, r, gpus).inside == 2 * (gpus - 1) * machines);
    CHECK(sent_by(schedule, r, gpus).across == 2 * (machines - 1));
  }
}

// Liu et al., Eq. (2): a master receives and sends 4 (n-1)/n of the tensor; only masters communicate with other machines.
TEST_CASE("machine schedules: the masters of tencent carry the data of its equation", "[machines]") {
  const int machines = 4, gpus = 8;
  const Schedule schedule = tencent_allreduce(machines, gpus);
  REQUIRE(schedule.chunks == 8);
  for (int r = 0; r < machines * gpus; ++r)
    CHECK(sent_by(schedule, r, gpus).across == (r % gpus == 0 ? 2 * (machines - 1) * schedule.chunks / machines : 0));
  const Sent master = sent_by(schedule, 0, gpus);
  CHECK(master.inside == 3 * (gpus - 1));  // halving, scattering, the ring; gathering is received
}

}  // namespace tributary::test_machine_schedules
