#include "testbench/family/cluster/staged_work.h"

namespace tributary {

std::vector<GpuProgram> StagedWork::programs() const {
  GpuProgram program;
  program.type = operations_.type, program.op = operations_.op;
  program.members = static_cast<unsigned>(operations_.ranks.size());
  std::vector<GpuProgram> all(operations_.ranks.size(), program);
  for (std::size_t r = 0; r < all.size(); ++r) all[r].tasks = operations_.step->programs[r];
  return all;
}

}  // namespace tributary
