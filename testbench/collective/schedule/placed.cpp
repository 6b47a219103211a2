#include "testbench/collective/schedule/placed.h"

#include <string>
#include <utility>

#include "modules/base/index.h"

namespace tributary::collective {
namespace {

bool power_of_two(int n) { return n > 0 && (n & (n - 1)) == 0; }

int parity(int n) {
  int ones = 0;
  for (; n != 0; n &= n - 1) ones ^= 1;
  return ones;
}

/// The numbers of ranks and chunks after placement.
class Placement {
 public:
  Placement(const Schedule& schedule, const std::vector<int>& rank_at)
      : rank_at_(rank_at), parts_(!schedule.goals.empty() && schedule.chunks == schedule.ranks) {
    if (rank_at.size() != at(schedule.ranks))
      throw ScheduleError(schedule.algorithm + ": " + std::to_string(rank_at.size()) + " nodes for " +
                          std::to_string(schedule.ranks) + " ranks");
  }

  int rank(int place) const { return place < 0 ? place : rank_at_[at(place)]; }
  int chunk(int chunk) const { return parts_ ? rank(chunk) : chunk; }
  std::vector<Operation> moved(std::vector<Operation> program) const {
    for (Operation& o : program) o.peer = rank(o.peer), o.chunk = chunk(o.chunk);
    return program;
  }
  void move_goals(Schedule& schedule) const {
    std::vector<Goal> goals(schedule.goals.size());
    for (std::size_t c = 0; c < goals.size(); ++c)
      goals[at(chunk(static_cast<int>(c)))] = {rank(schedule.goals[c].from), rank(schedule.goals[c].to)};
    schedule.goals = std::move(goals);
  }

 private:
  std::vector<int> rank_at_;
  bool parts_;
};

}  // namespace

Schedule placed(Schedule schedule, const std::vector<int>& rank_at) {
  const Placement placement(schedule, rank_at);
  std::vector<std::vector<Operation>> programs(schedule.programs.size());
  for (int p = 0; p < schedule.ranks; ++p)
    programs[at(placement.rank(p))] = placement.moved(std::move(schedule.programs[at(p)]));
  schedule.programs = std::move(programs);
  placement.move_goals(schedule);
  return schedule;
}

RankPrograms placed(RankPrograms programs, const std::vector<int>& rank_at) {
  const Placement placement(programs.outline, rank_at);
  placement.move_goals(programs.outline);
  std::vector<int> place_of(rank_at.size());
  for (std::size_t p = 0; p < rank_at.size(); ++p) place_of[at(rank_at[p])] = static_cast<int>(p);
  return {std::move(programs.outline), [placement, place_of = std::move(place_of), program = std::move(programs.program)](
                                           int rank) { return placement.moved(program(place_of[at(rank)])); }};
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
