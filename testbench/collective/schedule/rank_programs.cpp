#include "testbench/collective/schedule/rank_programs.h"

#include <utility>

#include "modules/base/index.h"

namespace tributary::collective {

Schedule whole(RankPrograms programs) {
  Schedule schedule = std::move(programs.outline);
  schedule.programs.reserve(at(schedule.ranks));
  for (int r = 0; r < schedule.ranks; ++r) schedule.programs.push_back(programs.program(r));
  return schedule;
}

}  // namespace tributary::collective
