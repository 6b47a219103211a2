#pragma once
/// Bottlenecks of runs on networks of NICs (docs/bottleneck.md).

#include <functional>
#include <optional>

#include "platforms/schedule_nic/network_params.h"
#include "testbench/collective/fluid/longest_chain.h"
#include "testbench/run/bottleneck_rules.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// Chain of the dependent steps of a message over links that are as fast as their credits allow, with the routers that it
/// passes.
struct NicChain {
  collective::LongestChain chain;
  double routers = 0;
};
/// Returns the chain of the message of a row; empty if it is not known.
using NicChainOf = std::function<std::optional<NicChain>(const ResultRow& row)>;

/// Returns the rate that buffers and credits allow on links of `wire` bytes per ps.
double credit_rate(const NetworkParams& params, double wire);

/// The chain is followed only if no resource explains the time. `params`: without automatic values.
BottleneckRules schedule_nic_bottlenecks(const RunSpec& spec, const NetworkParams& params, NicChainOf chain_of);

}  // namespace tributary
