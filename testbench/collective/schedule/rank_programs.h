#pragma once
/// RankPrograms: the programs of a schedule, made one rank at a time.

#include <functional>
#include <vector>

#include "testbench/collective/schedule/schedule.h"

namespace tributary::collective {

/// Makes the program of a rank, the same at each call.
using ProgramOfRank = std::function<std::vector<Operation>(int rank)>;

/// A schedule of which no more than a few programs are in memory at a time.
struct RankPrograms {
  Schedule outline;  ///< the schedule without programs
  ProgramOfRank program;
};

/// Returns the schedule with all programs.
Schedule whole(RankPrograms programs);

}  // namespace tributary::collective
