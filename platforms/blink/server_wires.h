#pragma once
/// What the links between servers' GPUs are, and how copies lie on them (docs/blocks/pcie.md#rates).

#include <optional>

#include "modules/link/link_params.h"
#include "modules/streams/core/copy_command.h"
#include "platforms/blink/platform_params.h"
#include "platforms/topology/server_graph.h"

namespace tributary {

/// `params` without automatic values, and both outlive it.
class ServerWires {
 public:
  ServerWires(const topology::ServerGraph& servers, const BlinkPlatformParams& params)
      : servers_(servers), params_(params) {}

  /// Of the link at a port. Its rate is that of the parameters, where they have one, then that of the server's file.
  LinkParams link(topology::PortRef port) const;
  /// From header in to header out of a node that is no GPU.
  Tick router_latency(int node) const {
    return (servers_.is_nvswitch(node) ? params_.nvswitch.latency : params_.pcie.switch_latency).value;
  }
  /// Input buffer at a port of a router: what one stream needs that fills the link, and 2048 at least.
  unsigned buffer_flits(topology::PortRef port) const;
  /// Of a copy between two GPUs by that path.
  CopyFraming framing(int from, int to, CopyPath path) const;
  /// That one copy between two GPUs of a server can have.
  Bandwidth payload_rate(int from, int to, CopyPath path) const;
  const BlinkPlatformParams& params() const { return params_; }
  const topology::ServerGraph& servers() const { return servers_; }
  /// How a copy between two GPUs without NVLink goes.
  CopyPath path(int from, int to) const {
    return servers_.server_of(from) == servers_.server_of(to) ? CopyPath::pcie : CopyPath::network;
  }

 private:
  Bandwidth raw_rate(topology::PortRef port, std::optional<Bandwidth> set, Bandwidth standard) const;
  CopyFraming tlps(Bytes payload) const;
  /// Of a wire whose payload has the rate `payload_rate`.
  static Bandwidth wire_rate(Bandwidth payload_rate, const CopyFraming& framing);

  const topology::ServerGraph& servers_;
  const BlinkPlatformParams& params_;
};

}  // namespace tributary
