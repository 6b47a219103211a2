#pragma once
/// CommandAgent: the host agent that carries out a software schedule.

#include "platforms/hosts/command_host_core.h"
#include "platforms/netreduce/core_agent.h"
#include "platforms/netreduce/host_params.h"

namespace tributary {

/// Rules: CommandHostCore. Carries out the stage `before` of a program.
class CommandAgent : public CoreAgent<CommandHostCore> {
 public:
  /// `endpoint`: number of the host's endpoint, passed to `listener`.
  CommandAgent(const sc_core::sc_module_name& name, const HostParams& params, unsigned endpoint,
               CompletionListener& listener);

  void post(unsigned gpu, HostProgram program, Tick t0) override;
};

}  // namespace tributary
