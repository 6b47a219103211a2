#pragma once
/// What `tributary estimate` was asked to do.

#include <map>
#include <string>
#include <vector>

#include "modules/base/units.h"
#include "testbench/collective/cost_equations.h"
#include "testbench/collective/fluid/ethernet_flows.h"

namespace tributary {

struct EstimateOption {
  const char* name;      ///< without dashes
  const char* argument;  ///< SIZE, N ...
  const char* standard;  ///< text that stands for an option not given
  std::string help;      ///< meaning, unit, default
};
const std::vector<EstimateOption>& estimate_options();

/// The options given, as texts.
using EstimateOptions = std::map<std::string, std::string>;

struct EstimateRequest {
  collective::MachineCost machine;
  collective::FlowParams flow;
  Bytes size;          ///< of the tensor, on each GPU
  bool fluid = false;  ///< flows alone: of more GPUs
  std::string json;    ///< empty: none; `-`: standard output, and nothing else goes there
};

/// Throws InputError.
EstimateRequest make_estimate_request(const EstimateOptions& options);

}  // namespace tributary
