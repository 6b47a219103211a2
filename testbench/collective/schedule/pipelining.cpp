#include "testbench/collective/schedule/pipelining.h"

#include <map>

namespace tributary::collective {
namespace {

std::vector<Operation> program_pipelined(const std::vector<Operation>& program, int pieces) {
  std::map<int, std::pair<int, int>> known;  // id: first new id, chunk
  std::vector<Operation> result;
  for (const Operation& o : program) known[o.id] = {static_cast<int>(known.size()) * pieces, o.chunk};
  for (const Operation& o : program)
    for (int i = 0; i < pieces; ++i) {
      Operation piece = o;
      piece.id = static_cast<int>(result.size());
      piece.chunk = o.chunk * pieces + i;
      piece.slot = o.slot * pieces + i;
      piece.deps.clear();
      if (i > 0) piece.deps.push_back(piece.id - 1);
      for (const int d : o.deps) {
        const auto [first, chunk] = known.at(d);
        if (chunk == o.chunk)
          piece.deps.push_back(first + i);
        else if (i == 0)
          piece.deps.push_back(first + pieces - 1);
      }
      result.push_back(std::move(piece));
    }
  return result;
}

std::vector<Operation> program_looped(const std::vector<Operation>& program, int loops) {
  std::map<int, int> place;  // position by id
  for (const Operation& o : program) place[o.id] = static_cast<int>(place.size());
  const auto operations = static_cast<int>(program.size());
  std::vector<Operation> result;
  for (int i = 0; i < loops; ++i)
    for (const Operation& o : program) {
      Operation piece = o;
      piece.id = i * operations + place.at(o.id);
      piece.chunk = o.chunk * loops + i;
      piece.slot = o.slot * loops + i;
      for (int& d : piece.deps) d = i * operations + place.at(d);
      if (i > 0) piece.deps.push_back(piece.id - operations);
      result.push_back(std::move(piece));
    }
  return result;
}

Schedule cut(const Schedule& schedule, int pieces,
             std::vector<Operation> (*of_rank)(const std::vector<Operation>& program, int pieces)) {
  if (pieces < 1) throw ScheduleError(schedule.algorithm + ": " + std::to_string(pieces) + " slices; at least 1");
  if (pieces == 1) return schedule;
  Schedule result{schedule.algorithm, schedule.ranks, schedule.chunks * pieces, schedule.slots * pieces, {}, {},
                  schedule.barrier};
  for (const auto& program : schedule.programs) result.programs.push_back(of_rank(program, pieces));
  for (const Goal& goal : schedule.goals)
    for (int i = 0; i < pieces; ++i) result.goals.push_back(goal);
  return result;
}

}  // namespace

Schedule pipelined(const Schedule& schedule, int pieces) { return cut(schedule, pieces, program_pipelined); }
Schedule looped(const Schedule& schedule, int loops) { return cut(schedule, loops, program_looped); }

}  // namespace tributary::collective
