#include "testbench/family/blink/servers.h"

#include "testbench/run/errors.h"

namespace tributary {

topology::ServerGraph servers_of(const std::string& platform, const BlinkPlatformParams& params) {
  const topology::ServerNames names = topology::server_names(platform);
  topology::ServerGraphOptions options;
  options.nics = static_cast<int>(params.net.nics);
  options.nics_aside = params.net.attach == NicPlace::ideal;
  try {
    return topology::ServerGraph(platform, topology::server(names.server), names.count, options);
  } catch (const topology::TopologyError& error) {
    throw SetupError(error.what());
  }
}

}  // namespace tributary
