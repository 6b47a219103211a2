#include "platforms/netreduce/machine_agent.h"

#include <stdexcept>
#include <string>

namespace tributary {

MachineAgent::MachineAgent(const sc_core::sc_module_name& name, const MachineAgentCore::Config& config,
                           unsigned first_endpoint, CompletionListener& listener)
    : CoreAgent(name, config) {
  for (unsigned g = 0; g < config.gpus; ++g)
    core_.gpu(g).on_end([&listener, first_endpoint, g](Tick when) { listener.done(first_endpoint + g, when); },
                        failure(listener, first_endpoint + g, ".gpu" + std::to_string(g)));
}

void MachineAgent::post(unsigned gpu, HostProgram program, Tick t0) {
  if (program.server || program.step)
    throw std::logic_error(std::string(name()) + ": this agent carries out collectives of GPUs only");
  core_.post(gpu, std::move(program), t0);
  wake(t0);
}

}  // namespace tributary
