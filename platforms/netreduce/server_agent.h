#pragma once
/// ServerAgent: the host agent of a parameter server.

#include "platforms/netreduce/core_agent.h"
#include "platforms/netreduce/server_agent_core.h"

namespace tributary {

/// Rules: ServerAgentCore. Carries out the stage `server` of a program, which never ends: the workers end.
class ServerAgent : public CoreAgent<ServerAgentCore> {
 public:
  /// `endpoint`: number of the host's first endpoint, passed to `listener`.
  ServerAgent(const sc_core::sc_module_name& name, const HostParams& params, unsigned endpoint,
              CompletionListener& listener);

  /// The first event of a server is an arrival, so `t0` has no effect.
  void post(unsigned gpu, HostProgram program, Tick t0) override;
};

}  // namespace tributary
