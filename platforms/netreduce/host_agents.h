#pragma once
/// Makes the agents of the hosts of a NetReducePlatform.

#include <cstdint>
#include <memory>

#include "modules/ethernet/host_agent_module.h"
#include "modules/timing/completion_listener.h"
#include "platforms/netreduce/platform_params.h"
#include "platforms/netreduce/program_agent.h"

namespace tributary {

/// Kind of host agent that drives the NIC of a host.
enum class HostRole : std::uint8_t {
  flow_control,  ///< flow control of NetReduce
  commands,      ///< a software schedule
  machine,       ///< several GPUs with a program each; the only role for hosts with more than one, except servers
  server,        ///< a parameter server, which adds for workers
  step,          ///< a training step
};

/// The module, and its interface for programs.
struct HostAgentParts {
  std::unique_ptr<HostAgentModule> module;
  ProgramAgent* programs = nullptr;
};

struct HostAgentPlace {
  const NetReducePlatformParams& params;
  unsigned host = 0;
  unsigned gpus = 1;  ///< GPUs of each host
};

/// `listener`: notified of the end of the programs of the host's endpoints.
HostAgentParts make_host_agent(const char* name, HostRole role, const HostAgentPlace& place, CompletionListener& listener);

}  // namespace tributary
