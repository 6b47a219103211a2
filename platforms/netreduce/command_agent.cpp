#include "platforms/netreduce/command_agent.h"

#include <stdexcept>
#include <string>
#include <utility>

namespace tributary {

CommandAgent::CommandAgent(const sc_core::sc_module_name& name, const HostParams& params, unsigned endpoint,
                           CompletionListener& listener)
    : HostAgentModule(name), core_(params, verbs) {
  core_.on_end([&listener, endpoint](Tick when) { listener.done(endpoint, when); },
               [&listener, endpoint, this](Tick when, const std::string& why) {
                 listener.failed(endpoint, when, std::string(this->name()) + ": " + why);
               });
}

void CommandAgent::post(unsigned, HostProgram program, Tick t0) {
  if (!program.rings.empty() || !program.after.commands.empty() || program.server)
    throw std::logic_error(std::string(name()) + ": this agent carries out commands only");
  core_.post(std::move(program.before), t0);
  wake(t0);
}

}  // namespace tributary
