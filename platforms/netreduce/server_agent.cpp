#include "platforms/netreduce/server_agent.h"

#include <stdexcept>
#include <string>
#include <utility>

namespace tributary {

ServerAgent::ServerAgent(const sc_core::sc_module_name& name, const HostParams& params, unsigned endpoint,
                         CompletionListener& listener)
    : CoreAgent(name, params) {
  core_.on_failure(failure(listener, endpoint));
}

void ServerAgent::post(unsigned, HostProgram program, Tick) {
  if (!program.server || !program.before.commands.empty() || !program.rings.empty() || !program.after.commands.empty() ||
      program.step)
    throw std::logic_error(std::string(name()) + ": this agent carries out the plan of a server only");
  core_.post(std::move(*program.server));
}

}  // namespace tributary
