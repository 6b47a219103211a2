#pragma once
/// What the links between servers' GPUs are, and how copies lie on them (docs/blocks/pcie.md#rates).

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

  LinkParams link(topology::ServerLink kind) const;
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
  CopyFraming tlps(Bytes payload) const;
  /// Of a wire whose payload has the rate `payload_rate`.
  static Bandwidth wire_rate(Bandwidth payload_rate, const CopyFraming& framing);

  const topology::ServerGraph& servers_;
  const BlinkPlatformParams& params_;
};

}  // namespace tributary
