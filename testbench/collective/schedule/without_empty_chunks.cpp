#include "testbench/collective/schedule/without_empty_chunks.h"

#include <algorithm>
#include <map>
#include <set>

namespace tributary::collective {
namespace {

using Program = std::vector<Operation>;

/// Returns the remaining operations, renumbered, with dependencies passed through removed ones.
Program remaining(const Program& program, const std::vector<bool>& empty) {
  const auto stays = [&](const Operation& o) { return !empty.at(static_cast<std::size_t>(o.chunk)); };
  std::map<int, const Operation*> by_id;
  std::map<int, int> new_id;
  for (const Operation& o : program) {
    by_id[o.id] = &o;
    if (stays(o)) new_id.emplace(o.id, static_cast<int>(new_id.size()));
  }
  Program kept;
  for (const Operation& o : program) {
    if (!stays(o)) continue;
    std::set<int> deps, seen;
    std::vector<int> open = o.deps;
    while (!open.empty()) {
      const int d = open.back();
      open.pop_back();
      if (!seen.insert(d).second) continue;
      const Operation& dep = *by_id.at(d);
      if (stays(dep))
        deps.insert(new_id.at(d));
      else
        open.insert(open.end(), dep.deps.begin(), dep.deps.end());
    }
    kept.push_back(o);
    kept.back().id = new_id.at(o.id);
    kept.back().deps.assign(deps.begin(), deps.end());
  }
  return kept;
}

}  // namespace

Schedule without_chunks(const Schedule& schedule, const std::vector<bool>& empty) {
  Schedule result = schedule;
  for (Program& program : result.programs) program = remaining(program, empty);
  result.goals.resize(static_cast<std::size_t>(schedule.chunks));
  for (std::size_t c = 0; c < result.goals.size(); ++c)
    if (empty.at(c)) result.goals[c] = {no_rank, no_rank};
  return result;
}

Schedule without_empty_chunks(const Schedule& schedule, std::uint64_t message_bytes) {
  int chunks = schedule.chunks;
  while (chunks > 1 && schedule.chunk_range(chunks - 1, message_bytes).blocks == 0) --chunks;
  if (chunks == schedule.chunks) return schedule;
  std::vector<bool> empty(static_cast<std::size_t>(schedule.chunks), false);
  std::fill(empty.begin() + chunks, empty.end(), true);
  Schedule result = without_chunks(schedule, empty);
  result.chunks = chunks;
  result.goals.resize(schedule.goals.empty() ? 0 : static_cast<std::size_t>(chunks));
  return result;
}

}  // namespace tributary::collective
