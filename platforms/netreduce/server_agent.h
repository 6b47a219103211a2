#pragma once
/// ServerAgent: the host agent of a parameter server.

#include "modules/ethernet/host_agent_module.h"
#include "modules/timing/completion_listener.h"
#include "platforms/netreduce/program_agent.h"
#include "platforms/netreduce/server_agent_core.h"

namespace tributary {

/// Rules: ServerAgentCore. Carries out the stage `server` of a program, which never ends: the workers end.
class ServerAgent : public HostAgentModule, public ProgramAgent {
 public:
  /// `endpoint`: number of the host's first endpoint, passed to `listener`.
  ServerAgent(const sc_core::sc_module_name& name, const HostParams& params, unsigned endpoint,
              CompletionListener& listener);

  HostAgent& agent() override { return core_; }
  void set_memory(std::byte* memory) override { core_.set_memory(memory); }
  /// The first event of a server is an arrival, so `t0` has no effect.
  void post(unsigned gpu, HostProgram program, Tick t0) override;

 private:
  ServerAgentCore core_;
};

}  // namespace tributary
