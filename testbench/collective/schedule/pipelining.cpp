#include "testbench/collective/schedule/pipelining.h"

#include <map>

namespace tributary::collective {
namespace {

std::vector<Operation> program_pipelined(const std::vector<Operation>& program, int slices) {
  std::map<int, std::pair<int, int>> known;  // id: first new id, chunk
  std::vector<Operation> result;
  for (const Operation& o : program) known[o.id] = {static_cast<int>(known.size()) * slices, o.chunk};
  for (const Operation& o : program)
    for (int i = 0; i < slices; ++i) {
      Operation slice = o;
      slice.id = static_cast<int>(result.size());
      slice.chunk = o.chunk * slices + i;
      slice.slot = o.slot * slices + i;
      slice.deps.clear();
      if (i > 0) slice.deps.push_back(slice.id - 1);
      for (const int d : o.deps) {
        const auto [first, chunk] = known.at(d);
        if (chunk == o.chunk)
          slice.deps.push_back(first + i);
        else if (i == 0)
          slice.deps.push_back(first + slices - 1);
      }
      result.push_back(std::move(slice));
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
      Operation slice = o;
      slice.id = i * operations + place.at(o.id);
      slice.chunk = o.chunk * loops + i;
      slice.slot = o.slot * loops + i;
      for (int& d : slice.deps) d = i * operations + place.at(d);
      if (i > 0) slice.deps.push_back(slice.id - operations);
      result.push_back(std::move(slice));
    }
  return result;
}

Schedule cut(const Schedule& schedule, int slices,
             std::vector<Operation> (*of_rank)(const std::vector<Operation>& program, int slices)) {
  if (slices < 1) throw ScheduleError(schedule.algorithm + ": " + std::to_string(slices) + " slices; at least 1");
  if (slices == 1) return schedule;
  Schedule result{schedule.algorithm, schedule.ranks, schedule.chunks * slices, schedule.slots * slices, {}, {},
                  schedule.barrier};
  for (const auto& program : schedule.programs) result.programs.push_back(of_rank(program, slices));
  for (const Goal& goal : schedule.goals)
    for (int i = 0; i < slices; ++i) result.goals.push_back(goal);
  return result;
}

}  // namespace

Schedule pipelined(const Schedule& schedule, int slices) { return cut(schedule, slices, program_pipelined); }
Schedule looped(const Schedule& schedule, int loops) { return cut(schedule, loops, program_looped); }

}  // namespace tributary::collective
