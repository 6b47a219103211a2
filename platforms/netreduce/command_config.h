#pragma once
/// Configuration of a CommandHostCore from the parameters of a host.

#include "platforms/hosts/command_host_core.h"
#include "platforms/netreduce/host_params.h"

namespace tributary {

inline CommandHostCore::Config command_config(const HostParams& p) { return {p.reduction_rate, p.in_flight.value}; }

}  // namespace tributary
