#include "platforms/netreduce/flow_control_agent.h"

#include <stdexcept>
#include <string>

namespace tributary {

void FlowControlAgent::post(unsigned, HostProgram program, Tick t0) {
  if (!program.before.commands.empty() || !program.after.commands.empty() || program.server || program.step)
    throw std::logic_error(std::string(name()) + ": this agent carries out rings only");
  FlowControlModule::post(program.rings, t0);
}

}  // namespace tributary
