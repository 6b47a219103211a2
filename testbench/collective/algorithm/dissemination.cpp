#include "testbench/collective/algorithm/dissemination.h"

#include "testbench/collective/schedule/program_builder.h"

namespace tributary::collective {

Schedule dissemination_barrier(int ranks) {
  if (ranks < 1) throw ScheduleError("dissemination: " + std::to_string(ranks) + " ranks; at least 1");
  Schedule schedule{"dissemination", ranks, 1, 0, {}};
  for (int distance = 1; distance < ranks; distance *= 2) ++schedule.slots;
  for (int r = 0; r < ranks; ++r) {
    ProgramBuilder program;
    int heard = ProgramBuilder::nothing;
    for (int round = 0; round < schedule.slots; ++round) {
      const int distance = 1 << round;
      const int sent = program.send((r + distance) % ranks, 0, round, {heard});
      heard = program.receive((r + ranks - distance) % ranks, 0, round, {sent});
    }
    schedule.programs.push_back(program.finish());
  }
  schedule.goals.assign(1, {every_rank, no_rank});
  schedule.barrier = true;
  return schedule;
}

}  // namespace tributary::collective
