#pragma once
/// The request of `tributary estimate`.

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
  const char* standard;  ///< text of the default
  std::string help;      ///< meaning, unit, default
};
const std::vector<EstimateOption>& estimate_options();

/// The given options, as texts.
using EstimateOptions = std::map<std::string, std::string>;

struct EstimateRequest {
  collective::MachineCost machine;
  collective::FlowParams flow;
  Bytes size;          ///< size of the tensor on each GPU
  bool fluid = false;  ///< only flows, which allow more GPUs
  std::string json;    ///< file; empty: none; `-`: standard output, which then holds nothing else
};

/// Throws InputError.
EstimateRequest make_estimate_request(const EstimateOptions& options);

}  // namespace tributary
