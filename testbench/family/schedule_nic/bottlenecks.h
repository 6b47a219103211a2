#pragma once
/// Bottlenecks of runs on networks of NICs (docs/bottleneck.md).

#include <functional>
#include <optional>

#include "platforms/schedule_nic/network_params.h"
#include "testbench/collective/fluid/longest_chain.h"
#include "testbench/run/bottleneck_rules.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// Chain of the dependent steps of a message, with the routers that it passes.
struct NicChain {
  collective::LongestChain chain;
  double routers = 0;
};
/// Returns the chain of the message of a row; empty if it is not known.
using NicChainOf = std::function<std::optional<NicChain>(const ResultRow& row)>;

/// `params`: without automatic values.
BottleneckRules schedule_nic_bottlenecks(const RunSpec& spec, const NetworkParams& params, NicChainOf chain_of);

}  // namespace tributary
