#include "testbench/family/netreduce/parameters.h"

namespace tributary {

std::unique_ptr<FamilyParameters> netreduce_parameters() {
  return std::make_unique<ParametersOf<NetReducePlatformParams>>();
}

}  // namespace tributary
