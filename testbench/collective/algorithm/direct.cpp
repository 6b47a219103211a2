#include "testbench/collective/algorithm/direct.h"

#include "testbench/collective/schedule/program_builder.h"

namespace tributary::collective {
namespace {

std::vector<Operation> gather_program(int rank, int ranks, int root) {
  ProgramBuilder program;
  int last = ProgramBuilder::nothing;
  if (rank != root) program.send(root, rank, 0, {});
  for (int s = 1; s < ranks && rank == root; ++s) {
    const int from = (root + s) % ranks;
    last = program.take(OperationKind::copy, from, from, 0, {last});
  }
  return program.finish();
}

std::vector<Operation> alltoall_program(int rank, int ranks) {
  ProgramBuilder program;
  int last_send = ProgramBuilder::nothing, last_take = ProgramBuilder::nothing;
  for (int s = 1; s < ranks; ++s) {
    const int to = (rank + s) % ranks, from = (rank + ranks - s) % ranks;
    last_send = program.send(to, rank * ranks + to, 0, {last_send});
    last_take = program.take(OperationKind::copy, from, from * ranks + rank, 0, {last_take});
  }
  return program.finish();
}

}  // namespace

Schedule direct_gather(int ranks, int root) {
  if (ranks < 1 || root < 0 || root >= ranks)
    throw ScheduleError("direct: no rank " + std::to_string(root) + " among " + std::to_string(ranks) +
                        " ranks to be the root");
  Schedule schedule{"direct", ranks, ranks, 1, {}};
  for (int r = 0; r < ranks; ++r) {
    schedule.programs.push_back(gather_program(r, ranks, root));
    schedule.goals.push_back({r, root});
  }
  return schedule;
}

Schedule direct_alltoall(int ranks) {
  if (ranks < 1) throw ScheduleError("direct: " + std::to_string(ranks) + " ranks; at least 1");
  Schedule schedule{"direct", ranks, ranks * ranks, 1, {}};
  for (int r = 0; r < ranks; ++r) {
    schedule.programs.push_back(alltoall_program(r, ranks));
    for (int to = 0; to < ranks; ++to) schedule.goals.push_back({r, to});
  }
  return schedule;
}

Schedule direct_sendrecv(int ranks) {
  if (ranks < 1) throw ScheduleError("direct: " + std::to_string(ranks) + " ranks; at least 1");
  Schedule schedule{"direct", ranks, ranks, 1, {}};
  for (int r = 0; r < ranks; ++r) {
    const int next = (r + 1) % ranks, previous = (r + ranks - 1) % ranks;
    ProgramBuilder program;
    if (ranks > 1) {
      program.send(next, r, 0, {});
      program.take(OperationKind::copy, previous, previous, 0, {});
    }
    schedule.programs.push_back(program.finish());
    schedule.goals.push_back({r, next});
  }
  return schedule;
}

}  // namespace tributary::collective
