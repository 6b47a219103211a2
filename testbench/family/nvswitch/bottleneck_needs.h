#pragma once
/// What else has to be faster once links or channels of a machine of NVSwitches are (docs/bottleneck.md).

#include "platforms/nvswitch/platform_params.h"
#include "testbench/run/bottleneck_rules.h"
#include "testbench/run/run_spec.h"

namespace tributary {

/// Rooms that faster links require.
struct LinkNeeds {
  double table = 0;     ///< bytes per port
  double per_link = 0;  ///< bytes per ps of all links of a GPU
};

/// `params` has no automatic values.
LinkNeeds needs_of_faster_links(const RunSpec& spec, const NvSwitchPlatformParams& params);
/// Adds what faster links need. `waves`: waves of requests may be a bottleneck.
void add_needs(const LinkNeeds& needs, const RunSpec& spec, const NvSwitchPlatformParams& p, bool waves,
               BottleneckAccount& account);
/// Adds what faster channels need.
void add_channel_needs(BottleneckAccount& account);
/// Adds what faster links of sends and receives need.
void add_send_needs(BottleneckAccount& account);

}  // namespace tributary
