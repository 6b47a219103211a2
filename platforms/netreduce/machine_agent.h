#pragma once
/// MachineAgent: the host agent of a host with several GPUs.

#include <utility>

#include "platforms/netreduce/core_agent.h"
#include "platforms/netreduce/machine_agent_core.h"

namespace tributary {

/// Rules: MachineAgentCore. Carries out the stages `before`, `rings` and `after` of the program of each GPU.
class MachineAgent : public CoreAgent<MachineAgentCore> {
 public:
  /// `first_endpoint`: number of the host's first GPU, passed to `listener`; the others follow it.
  MachineAgent(const sc_core::sc_module_name& name, const MachineAgentCore::Config& config, unsigned first_endpoint,
               CompletionListener& listener);

  void post(unsigned gpu, HostProgram program, Tick t0) override;
  unsigned add_connection(unsigned gpu, const GpuConnection& connection) override {
    return core_.add_connection(gpu, connection);
  }
  std::pair<unsigned, unsigned> connect_gpus(unsigned from, unsigned to) override { return core_.connect_gpus(from, to); }
  void set_stride(std::uint64_t bytes) override { core_.set_stride(bytes); }
};

}  // namespace tributary
