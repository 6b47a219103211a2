#pragma once
/// Round: collectives on disjoint ranks that run at once, after a reset of the machine.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "testbench/by_name/rounds/posting.h"
#include "testbench/run/family.h"

namespace tributary {

struct Round {
  std::vector<std::shared_ptr<Posting>> postings;
  RunSpec spec;                                 ///< machine, with a job for each posting
  RunParameters params;                         ///< without automatic values
  std::map<std::string, std::string> hardware;  ///< FamilyJobHardware::hardware_of()
  bool lowered = false;                         ///< the platform has the memory of its ranks
};

/// Checks that the machine can run the collectives at once. Throws SetupError, ScheduleError or std::invalid_argument.
Round make_round(const RunSpec& machine, std::vector<std::shared_ptr<Posting>> postings);
/// True if a rank of the round has the endpoint of a rank of `posting`, or one of them runs alone.
bool excludes(const Round& round, const Posting& posting);
/// Checks that one elaborated platform can run both rounds. `built`: the platform exists, and has the hardware of `first`.
/// Throws SetupError, one line with the first difference.
void check_same_machine(const Round& first, const Round& next, bool built);

}  // namespace tributary
