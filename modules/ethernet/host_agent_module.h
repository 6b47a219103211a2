#pragma once
/// HostAgentModule: base class of host agents as modules, with a verbs socket.

#include <cstdint>
#include <functional>
#include <string>
#include <systemc>
#include <utility>

#include "modules/ethernet/core/host_agent.h"
#include "modules/ethernet/verbs_socket.h"

namespace tributary {

/// Shell around the core of an agent; part of a host. Requests of the agent go to the NIC over the socket, and reports of
/// the NIC come back over it. The host runs the agent's own events.
class HostAgentModule : public sc_core::sc_module {
  struct ToAgent : VerbsListener {
    explicit ToAgent(HostAgentModule& m) : module(m) {}
    void completed(unsigned queue_pair, std::uint64_t id, Tick when) override {
      module.agent().completed(queue_pair, id, when);
    }
    void arrived(unsigned queue_pair, std::uint32_t immediate, Tick when) override {
      module.agent().arrived(queue_pair, immediate, when);
    }
    void failed(unsigned queue_pair, Tick when, const std::string& why) override {
      module.agent().failed(queue_pair, when, why);
    }
    HostAgentModule& module;
  } to_agent_;

 public:
  virtual HostAgent& agent() = 0;
  /// Sets the memory of agents that move data themselves; null: only time is simulated.
  virtual void set_memory(std::byte*) {}
  /// `wake` is called with the time of the agent's next event when a program is posted to it.
  void on_wake(std::function<void(Tick)> wake) { wake_ = std::move(wake); }

  VerbsInitiator verbs;

 protected:
  explicit HostAgentModule(const sc_core::sc_module_name& name)
      : sc_module(name), to_agent_(*this), verbs("verbs", to_agent_) {}
  /// Reports that the agent has an event at `when` which was caused outside of the host's run.
  void wake(Tick when) {
    if (wake_) wake_(when);
  }

 private:
  std::function<void(Tick)> wake_;
};

}  // namespace tributary
