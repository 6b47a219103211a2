#pragma once
/// FlowControlModule: flow control of NetReduce as a host agent (Liu et al., 3.1 and 3.2).

#include <string>
#include <vector>

#include "modules/ethernet/host_agent_module.h"
#include "modules/netreduce/core/flow_control_core.h"
#include "modules/timing/completion_listener.h"

namespace tributary {

/// Rules: FlowControlCore. Part of a host, which runs its events.
class FlowControlModule : public HostAgentModule, private FlowControlListener {
 public:
  /// `endpoint`: number of the host's endpoint, passed to `listener`. `mtu`: payload bytes of a packet.
  FlowControlModule(const sc_core::sc_module_name& name, const HostFlowParams& params, unsigned mtu, unsigned endpoint,
                    CompletionListener& listener)
      : HostAgentModule(name),
        core_(params, mtu, verbs, static_cast<FlowControlListener&>(*this)),
        listener_(listener),
        endpoint_(endpoint) {}

  HostAgent& agent() override { return core_; }
  FlowControlCore& core() { return core_; }
  void set_memory(std::byte* memory) override { core_.set_memory(memory); }
  /// Calls FlowControlCore::post(), and wakes the host.
  void post(const std::vector<RingPlan>& rings, Tick t0) {
    core_.post(rings, t0);
    wake(t0);
  }

 private:
  void flow_done(Tick when) override { listener_.done(endpoint_, when); }
  void flow_failed(Tick when, const std::string& why) override {
    listener_.failed(endpoint_, when, std::string(this->name()) + ": " + why);
  }

  FlowControlCore core_;
  CompletionListener& listener_;
  unsigned endpoint_;
};

}  // namespace tributary
