#include "testbench/run/facets/placement.h"

#include <numeric>

#include "testbench/run/family.h"

namespace tributary {

int FamilyPlacement::participants(const RunSpec& spec, const JobSpec&) const {
  return family_of(spec.platform).platform(spec.platform).participants;
}

std::vector<int> FamilyPlacement::place(const RunSpec&, int count) const {
  std::vector<int> first(static_cast<std::size_t>(count));
  std::iota(first.begin(), first.end(), 0);
  return first;
}

}  // namespace tributary
