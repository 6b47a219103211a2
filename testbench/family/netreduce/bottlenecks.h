#pragma once
/// Bottlenecks of runs on hosts on Ethernet (docs/bottleneck.md).

#include <functional>
#include <optional>

#include "platforms/netreduce/platform_params.h"
#include "testbench/collective/fluid/longest_chain.h"
#include "testbench/run/bottleneck_rules.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// Returns the chain of the dependent transfers of a row's software schedule; empty if it is not known.
using HostChainOf = std::function<std::optional<collective::LongestChain>(const ResultRow& row)>;

/// The chain is followed only if no resource explains the time. `params`: without automatic values.
BottleneckRules netreduce_bottlenecks(const RunSpec& spec, const NetReducePlatformParams& params, HostChainOf chain_of);

}  // namespace tributary
