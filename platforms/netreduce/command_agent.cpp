#include "platforms/netreduce/command_agent.h"

#include <stdexcept>
#include <string>
#include <utility>

#include "platforms/netreduce/command_config.h"

namespace tributary {

CommandAgent::CommandAgent(const sc_core::sc_module_name& name, const HostParams& params, unsigned endpoint,
                           CompletionListener& listener)
    : CoreAgent(name, command_config(params)) {
  core_.on_end([&listener, endpoint](Tick when) { listener.done(endpoint, when); }, failure(listener, endpoint));
}

void CommandAgent::post(unsigned, HostProgram program, Tick t0) {
  if (!program.rings.empty() || !program.after.commands.empty() || program.server || program.step)
    throw std::logic_error(std::string(name()) + ": this agent carries out commands only");
  core_.post(std::move(program.before), t0);
  wake(t0);
}

}  // namespace tributary
