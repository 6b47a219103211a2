#pragma once
/// CommandAgent: the host agent that carries out a software schedule.

#include "modules/ethernet/host_agent_module.h"
#include "modules/timing/completion_listener.h"
#include "platforms/netreduce/command_agent_core.h"
#include "platforms/netreduce/program_agent.h"

namespace tributary {

/// Rules: CommandAgentCore. Carries out the stage `before` of a program.
class CommandAgent : public HostAgentModule, public ProgramAgent {
 public:
  /// `endpoint`: number of the host's endpoint, passed to `listener`.
  CommandAgent(const sc_core::sc_module_name& name, const HostParams& params, unsigned endpoint,
               CompletionListener& listener);

  HostAgent& agent() override { return core_; }
  void set_memory(std::byte* memory) override { core_.set_memory(memory); }
  void post(unsigned gpu, HostProgram program, Tick t0) override;

 private:
  CommandAgentCore core_;
};

}  // namespace tributary
