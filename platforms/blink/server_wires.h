#pragma once
/// ServerWires: rates and latencies of the links between GPUs, and the packet framing of copies (docs/blocks/pcie.md#rates).

#include <optional>

#include "modules/link/link_params.h"
#include "modules/streams/core/copy_command.h"
#include "platforms/blink/platform_params.h"
#include "platforms/topology/server_graph.h"

namespace tributary {

/// `params` has no automatic values. Both arguments must outlive the object.
class ServerWires {
 public:
  ServerWires(const topology::ServerGraph& servers, const BlinkPlatformParams& params)
      : servers_(servers), params_(params) {}

  /// Returns the link at a port. A rate in the parameters replaces the rate in the server's file.
  LinkParams link(topology::PortRef port) const;
  /// Returns the time from header in to header out of a node that is no GPU.
  Tick router_latency(int node) const {
    return (servers_.is_nvswitch(node) ? params_.nvswitch.latency : params_.pcie.switch_latency).value;
  }
  /// Returns the flits of the input buffer at a router's port: enough for one stream that fills the link, and at least 2048.
  unsigned buffer_flits(topology::PortRef port) const;
  /// Returns the framing of a copy between two GPUs over that path.
  CopyFraming framing(int from, int to, CopyPath path) const;
  /// Returns the highest payload rate of one copy between two GPUs of a server.
  Bandwidth payload_rate(int from, int to, CopyPath path) const;
  /// Returns the highest payload rate between a GPU and the memory of its socket. Other GPUs must be past the processor.
  Bandwidth host_rate(int gpu) const;
  const BlinkPlatformParams& params() const { return params_; }
  const topology::ServerGraph& servers() const { return servers_; }
  /// Returns the path of a copy between two GPUs without NVLink.
  CopyPath path(int from, int to) const {
    return servers_.server_of(from) == servers_.server_of(to) ? CopyPath::pcie : CopyPath::network;
  }

 private:
  Bandwidth raw_rate(topology::PortRef port, std::optional<Bandwidth> set, Bandwidth standard) const;
  CopyFraming tlps(Bytes payload) const;
  /// Returns the rate of a link whose payload has the rate `payload_rate`.
  static Bandwidth wire_rate(Bandwidth payload_rate, const CopyFraming& framing);

  const topology::ServerGraph& servers_;
  const BlinkPlatformParams& params_;
};

}  // namespace tributary
