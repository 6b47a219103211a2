#include "testbench/family/blink/servers.h"

#include <algorithm>

#include "modules/link/core/device_ports.h"
#include "testbench/run/errors.h"

namespace tributary {

std::uint32_t nics_of(const topology::PlatformDescription& platform, const BlinkPlatformParams& params) {
  if (params.net.nics) return *params.net.nics;
  const auto servers = static_cast<std::size_t>(topology::server_names(platform.name()).count);
  if (servers == 1 || params.net.attach == NicPlace::ideal) return 1;
  const topology::Server server = topology::repeated_server(platform);
  const auto known = static_cast<std::size_t>(
      std::count_if(server.nic_rate.begin(), server.nic_rate.end(), [](std::uint64_t rate) { return rate > 0; }));
  constexpr std::size_t most = 8;
  return static_cast<std::uint32_t>(std::max<std::size_t>(1, std::min({known, most, max_word_ports / servers})));
}

topology::ServerGraph servers_of(const topology::PlatformDescription& platform, const BlinkPlatformParams& params) {
  const std::string& name = platform.name();
  const int count = topology::server_names(name).count;
  topology::ServerGraphOptions options;
  options.nics = static_cast<int>(nics_of(platform, params));
  options.nics_aside = params.net.attach == NicPlace::ideal;
  try {
    return topology::ServerGraph(name, topology::repeated_server(platform), count, options);
  } catch (const topology::TopologyError& error) {
    throw SetupError(error.what());
  }
}

}  // namespace tributary
