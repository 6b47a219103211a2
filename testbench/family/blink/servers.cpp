#include "testbench/family/blink/servers.h"

#include <stdexcept>

#include "testbench/run/errors.h"

namespace tributary {

topology::ServerGraph servers_of(const std::string& platform, const BlinkPlatformParams& params) {
  const topology::ServerNames names = topology::server_names(platform);
  topology::ServerGraphOptions options;
  options.nics = static_cast<int>(params.net.nics);
  options.nics_aside = params.net.attach == NicPlace::ideal;
  const topology::Server server = topology::server(names.server);
  if (server.switches() > 0)
    throw std::invalid_argument("the GPUs of " + names.server +
                                " are joined by NVSwitches (legal: servers whose NVLinks join GPUs directly)");
  try {
    return topology::ServerGraph(platform, server, names.count, options);
  } catch (const topology::TopologyError& error) {
    throw SetupError(error.what());
  }
}

}  // namespace tributary
