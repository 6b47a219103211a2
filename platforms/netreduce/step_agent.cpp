#include "platforms/netreduce/step_agent.h"

#include <stdexcept>
#include <string>
#include <utility>

namespace tributary {

StepAgent::StepAgent(const sc_core::sc_module_name& name, const StepAgentCore::Config& config, unsigned endpoint,
                     CompletionListener& listener)
    : CoreAgent(name, config) {
  core_.on_end([&listener, endpoint](Tick when) { listener.done(endpoint, when); }, failure(listener, endpoint));
}

void StepAgent::post(unsigned, HostProgram program, Tick t0) {
  if (!program.step) throw std::logic_error(std::string(name()) + ": this agent carries out training steps only");
  core_.post(std::move(*program.step), t0);
  wake(t0);
}

}  // namespace tributary
