#include "testbench/collective/algorithm/ring.h"

#include <algorithm>
#include <utility>

#include "testbench/collective/schedule/program_builder.h"

namespace tributary::collective {
namespace {

/// Operations of step t have the ids 3t (send), 3t+1 (receive), 3t+2 (reduce or copy).
std::vector<Operation> ring_program(int rank, int ranks) {
  const int next = (rank + 1) % ranks, previous = (rank + ranks - 1) % ranks;
  const int scatter_steps = ranks - 1;
  std::vector<Operation> program;
  program.reserve(static_cast<std::size_t>(6 * scatter_steps));
  for (int t = 0; t < 2 * scatter_steps; ++t) {
    const int slot = t % ranks;
    const int sent = (rank + 2 * ranks - t) % ranks;  // received in the previous step
    const int received = (rank + 2 * ranks - 1 - t) % ranks;
    const int send_id = 3 * t, receive_id = send_id + 1, take_id = send_id + 2;
    const int last_send = send_id - 3, last_take = take_id - 3;
    const auto take = t < scatter_steps ? OperationKind::reduce : OperationKind::copy;

    program.push_back({OperationKind::send, send_id, next, sent, slot, t, {}});
    if (t > 0) program.back().deps = {last_send, last_take};
    program.push_back({OperationKind::receive, receive_id, previous, received, slot, t, {}});
    if (t > 0) program.back().deps = {last_take};
    program.push_back({take, take_id, previous, received, slot, t, {receive_id}});
  }
  return program;
}

/// In step t a rank sends chunk `first` - t and receives the preceding chunk. Each step has its own slot.
std::vector<Operation> half_ring_program(int rank, int ranks, OperationKind kind, int first) {
  const int next = (rank + 1) % ranks, previous = (rank + ranks - 1) % ranks;
  ProgramBuilder program;
  int last_send = ProgramBuilder::nothing, last_take = ProgramBuilder::nothing;
  for (int t = 0; t < ranks - 1; ++t) {
    const int sent = (first + 2 * ranks - t) % ranks, received = (first + 2 * ranks - t - 1) % ranks;
    program.at_step(t);
    last_send = program.send(next, sent, t, {last_send, last_take});
    last_take = program.take(kind, previous, received, t, {last_take});
  }
  return program.finish();
}

void check_ranks(int ranks) {
  if (ranks < 1) throw ScheduleError("ring: " + std::to_string(ranks) + " ranks; at least 1");
}

RankPrograms half_ring(int ranks, OperationKind kind) {
  check_ranks(ranks);
  const bool reduces = kind == OperationKind::reduce;
  Schedule outline{"ring", ranks, ranks, std::max(1, ranks - 1), {}};
  for (int r = 0; r < ranks; ++r) outline.goals.push_back(reduces ? Goal{every_rank, r} : Goal{r, every_rank});
  return {std::move(outline), [=](int rank) { return half_ring_program(rank, ranks, kind, reduces ? rank - 1 : rank); }};
}

}  // namespace

RankPrograms ring_reduce_scatter_programs(int ranks) { return half_ring(ranks, OperationKind::reduce); }
RankPrograms ring_allgather_programs(int ranks) { return half_ring(ranks, OperationKind::copy); }
Schedule ring_reduce_scatter(int ranks) { return whole(ring_reduce_scatter_programs(ranks)); }
Schedule ring_allgather(int ranks) { return whole(ring_allgather_programs(ranks)); }

Schedule ring_broadcast(int ranks) {
  check_ranks(ranks);
  Schedule schedule{"ring", ranks, 1, 1, {}, {Goal{0, every_rank}}};
  for (int r = 0; r < ranks; ++r) {
    ProgramBuilder program;
    program.at_step(r - 1);
    const int taken = r == 0 ? ProgramBuilder::nothing : program.take(OperationKind::copy, r - 1, 0, 0, {});
    program.at_step(r);
    if (r + 1 < ranks) program.send(r + 1, 0, 0, {taken});
    schedule.programs.push_back(program.finish());
  }
  return schedule;
}

Schedule ring_reduce(int ranks) {
  check_ranks(ranks);
  Schedule schedule{"ring", ranks, 1, 1, {}, {Goal{every_rank, 0}}};
  for (int r = 0; r < ranks; ++r) {
    const int place = (r + ranks - 1) % ranks;  // rank 1 is the first, rank 0 the last
    ProgramBuilder program;
    program.at_step(place - 1);
    const int taken =
        place == 0 ? ProgramBuilder::nothing : program.take(OperationKind::reduce, (r + ranks - 1) % ranks, 0, 0, {});
    program.at_step(place);
    if (place + 1 < ranks) program.send((r + 1) % ranks, 0, 0, {taken});
    schedule.programs.push_back(program.finish());
  }
  return schedule;
}

RankPrograms ring_allreduce_programs(int ranks) {
  check_ranks(ranks);
  return {{"ring", ranks, ranks, ranks, {}}, [=](int rank) { return ring_program(rank, ranks); }};
}

Schedule ring_allreduce(int ranks) { return whole(ring_allreduce_programs(ranks)); }

}  // namespace tributary::collective
