#include "testbench/collective/schedule/placed.h"

#include <string>

#include "modules/base/index.h"

namespace tributary::collective {
namespace {

bool power_of_two(int n) { return n > 0 && (n & (n - 1)) == 0; }

int parity(int n) {
  int ones = 0;
  for (; n != 0; n &= n - 1) ones ^= 1;
  return ones;
}

}  // namespace

Schedule placed(const Schedule& schedule, const std::vector<int>& rank_at) {
  if (rank_at.size() != at(schedule.ranks))
    throw ScheduleError(schedule.algorithm + ": " + std::to_string(rank_at.size()) + " nodes for " +
                        std::to_string(schedule.ranks) + " ranks");
  const bool parts = !schedule.goals.empty() && schedule.chunks == schedule.ranks;
  const auto rank = [&](int place) { return place < 0 ? place : rank_at[at(place)]; };
  Schedule result = schedule;
  for (int p = 0; p < schedule.ranks; ++p) {
    std::vector<Operation>& program = result.programs[at(rank(p))] = schedule.programs[at(p)];
    for (Operation& o : program) {
      o.peer = rank(o.peer);
      if (parts) o.chunk = rank(o.chunk);
    }
  }
  for (std::size_t c = 0; c < schedule.goals.size(); ++c)
    result.goals[parts ? at(rank(static_cast<int>(c))) : c] = {rank(schedule.goals[c].from), rank(schedule.goals[c].to)};
  return result;
}

std::vector<int> hdrm_nodes(int nics, int switches) {
  if (!power_of_two(nics) || !power_of_two(switches) || switches < 2 || 4 * nics < switches)
    throw ScheduleError("hdrm: ranks cannot be mapped to bigraph:" + std::to_string(nics) + "x" + std::to_string(switches) +
                        " (legal: powers of two, at least N/4 nodes on each of N switches)");
  const int half = switches / 2;
  std::vector<int> taken(at(switches), 0), nodes;
  for (int r = 0; r < nics * switches; ++r) {
    const int s = parity(r) == 0 ? r % half : half + r / half % half;
    nodes.push_back(s * nics + taken[at(s)]++);
  }
  return nodes;
}

}  // namespace tributary::collective
