#include "platforms/netreduce/host_agents.h"

#include <utility>

#include "platforms/netreduce/command_agent.h"
#include "platforms/netreduce/flow_control_agent.h"
#include "platforms/netreduce/machine_agent.h"
#include "platforms/netreduce/server_agent.h"
#include "platforms/netreduce/step_agent.h"

namespace tributary {
namespace {

template <class Agent, class... Arguments>
HostAgentParts parts(Arguments&&... arguments) {
  auto agent = std::make_unique<Agent>(std::forward<Arguments>(arguments)...);
  ProgramAgent* const programs = agent.get();
  return {std::move(agent), programs};
}

}  // namespace

HostAgentParts make_host_agent(const char* name, HostRole role, const HostAgentPlace& place, CompletionListener& listener) {
  const NetReducePlatformParams& p = place.params;
  const auto mtu = static_cast<unsigned>(p.nic.mtu.value);
  const unsigned first = place.host * place.gpus;  // endpoint
  switch (role) {
    case HostRole::flow_control:
      return parts<FlowControlAgent>(name, p.flow_control, mtu, first, listener);
    case HostRole::machine:
      return parts<MachineAgent>(name, MachineAgentCore::Config{p.host, p.flow_control, mtu, place.gpus}, first, listener);
    case HostRole::server:
      return parts<ServerAgent>(name, p.host, first, listener);
    case HostRole::step:
      return parts<StepAgent>(name, StepAgentCore::Config{p.host, p.flow_control, mtu}, first, listener);
    case HostRole::commands:
      break;
  }
  return parts<CommandAgent>(name, p.host, first, listener);
}

}  // namespace tributary
