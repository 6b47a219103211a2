#pragma once
/// StepAgent: the host agent that carries out a training step.

#include "platforms/netreduce/core_agent.h"
#include "platforms/netreduce/step_agent_core.h"

namespace tributary {

/// Rules: StepAgentCore. Carries out the step of a program, which has no stages.
class StepAgent : public CoreAgent<StepAgentCore> {
 public:
  /// `endpoint`: number of the host's endpoint, passed to `listener`.
  StepAgent(const sc_core::sc_module_name& name, const StepAgentCore::Config& config, unsigned endpoint,
            CompletionListener& listener);

  void post(unsigned gpu, HostProgram program, Tick t0) override;
};

}  // namespace tributary
