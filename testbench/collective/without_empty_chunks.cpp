#include "testbench/collective/without_empty_chunks.h"

#include <map>
#include <set>

namespace tributary::collective {
namespace {

using Program = std::vector<Operation>;

/// Operations that remain, with dependencies handed through those that do not.
Program remaining(const Program& program, int chunks) {
  std::map<int, const Operation*> by_id;
  for (const Operation& o : program) by_id[o.id] = &o;
  Program kept;
  for (const Operation& o : program) {
    if (o.chunk >= chunks) continue;
    std::set<int> deps, seen;
    std::vector<int> open = o.deps;
    while (!open.empty()) {
      const int d = open.back();
      open.pop_back();
      if (!seen.insert(d).second) continue;
      const Operation& dep = *by_id.at(d);
      if (dep.chunk < chunks)
        deps.insert(d);
      else
        open.insert(open.end(), dep.deps.begin(), dep.deps.end());
    }
    kept.push_back(o);
    kept.back().deps.assign(deps.begin(), deps.end());
  }
  return kept;
}

}  // namespace

Schedule without_empty_chunks(const Schedule& schedule, std::uint64_t message_bytes) {
  Schedule result = schedule;
  while (result.chunks > 1 && schedule.chunk_range(result.chunks - 1, message_bytes).blocks == 0) --result.chunks;
  if (result.chunks == schedule.chunks) return result;
  for (Program& program : result.programs) program = remaining(program, result.chunks);
  return result;
}

}  // namespace tributary::collective
