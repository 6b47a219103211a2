#pragma once
/// FlowControlAgent: the host agent that takes part in rings of NetReduce.

#include "modules/netreduce/flow_control_module.h"
#include "platforms/netreduce/program_agent.h"

namespace tributary {

/// Rules: FlowControlCore. Carries out the stage `rings` of a program.
class FlowControlAgent : public FlowControlModule, public ProgramAgent {
 public:
  using FlowControlModule::FlowControlModule;
  void post(unsigned gpu, HostProgram program, Tick t0) override;
};

}  // namespace tributary
