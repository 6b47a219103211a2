#include "testbench/collective/algorithm/star.h"

#include "testbench/collective/schedule/program_builder.h"

namespace tributary::collective {
namespace {

constexpr int centre = 0, message = 0;       // rank of the centre; the only chunk
constexpr int up = 0, down = 1, slots = 2;   // mailbox slots, by direction
constexpr int gathering = 0, spreading = 1;  // steps

std::vector<Operation> centre_program(int ranks) {
  ProgramBuilder program;
  int sum = ProgramBuilder::nothing, sent = ProgramBuilder::nothing;
  program.at_step(gathering);
  for (int leaf = 1; leaf < ranks; ++leaf) sum = program.take(OperationKind::reduce, leaf, message, up, {}, sum);
  program.at_step(spreading);
  for (int leaf = 1; leaf < ranks; ++leaf) sent = program.send(leaf, message, down, {sum, sent});
  return program.finish();
}

std::vector<Operation> leaf_program() {
  ProgramBuilder program;
  program.at_step(gathering);
  const int given = program.send(centre, message, up, {});
  program.at_step(spreading);
  program.take(OperationKind::copy, centre, message, down, {}, given);
  return program.finish();
}

}  // namespace

Schedule star_allreduce(int ranks) {
  if (ranks < 1) throw ScheduleError("star: " + std::to_string(ranks) + " ranks; at least 1");
  Schedule schedule{"star", ranks, 1, slots, {centre_program(ranks)}};
  for (int leaf = 1; leaf < ranks; ++leaf) schedule.programs.push_back(leaf_program());
  return schedule;
}

}  // namespace tributary::collective
