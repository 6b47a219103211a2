#pragma once
/// CoreAgent: base class of the host agents of a NetReducePlatform that are a thin module around one core.

#include <string>

#include "modules/ethernet/host_agent_module.h"
#include "modules/timing/completion_listener.h"
#include "platforms/netreduce/program_agent.h"

namespace tributary {

/// `Core` is a HostAgent that is constructed from a configuration and the verbs of the NIC.
template <class Core>
class CoreAgent : public HostAgentModule, public ProgramAgent {
 public:
  HostAgent& agent() override { return core_; }
  void set_memory(std::byte* memory) override { core_.set_memory(memory); }
  HostAdditions additions() const override { return core_.additions(); }

 protected:
  template <class Config>
  CoreAgent(const sc_core::sc_module_name& name, const Config& config) : HostAgentModule(name), core_(config, verbs) {}

  /// Returns a function that reports to `listener` that `endpoint` failed. The reason begins with the name of this agent and
  /// `part`, which is empty or begins with a dot.
  auto failure(CompletionListener& listener, unsigned endpoint, const std::string& part = "") {
    return [&listener, endpoint, where = std::string(name()) + part + ": "](Tick when, const std::string& why) {
      listener.failed(endpoint, when, where + why);
    };
  }

  Core core_;
};

}  // namespace tributary
