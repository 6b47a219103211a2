#include "testbench/family/blink/servers.h"

#include "testbench/run/errors.h"

namespace tributary {

topology::ServerGraph servers_of(const topology::PlatformDescription& platform, const BlinkPlatformParams& params) {
  const std::string& name = platform.name();
  const int count = topology::server_names(name).count;
  topology::ServerGraphOptions options;
  options.nics = static_cast<int>(params.net.nics);
  options.nics_aside = params.net.attach == NicPlace::ideal;
  try {
    return topology::ServerGraph(name, topology::repeated_server(platform), count, options);
  } catch (const topology::TopologyError& error) {
    throw SetupError(error.what());
  }
}

}  // namespace tributary
