#pragma once
/// Algorithms of hosts on a programmable switch: all-reduces of float32.

#include <vector>

#include "modules/tofino/core/update_header.h"
#include "testbench/run/family.h"

namespace tributary {

struct TofinoMethod {
  const char* collective;
  const char* name;
  const char* about;
  AggregationScheme scheme;
};

const std::vector<TofinoMethod>& tofino_methods();
/// Throws std::invalid_argument if the family does not have the algorithm.
const TofinoMethod& tofino_method(const JobSpec& job);

}  // namespace tributary
