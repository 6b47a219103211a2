#pragma once
/// Algorithms of hosts on a programmable switch: all-reduces of float32.

#include <vector>

#include "modules/tofino/core/update_header.h"
#include "testbench/run/family.h"

namespace tributary {

struct TofinoAlgorithm {
  const char* collective;
  const char* name;
  const char* about;
  AggregationScheme scheme;
};

const std::vector<TofinoAlgorithm>& tofino_algorithms();
/// Throws std::invalid_argument if the family does not have the algorithm.
const TofinoAlgorithm& tofino_algorithm(const JobSpec& job);

}  // namespace tributary
