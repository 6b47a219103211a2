#pragma once
/// HostAgentModule: an engine of a host as a module, with its verbs socket.

#include <cstdint>
#include <functional>
#include <string>
#include <systemc>
#include <utility>

#include "modules/ethernet/core/host_agent.h"
#include "modules/ethernet/verbs_socket.h"

namespace tributary {

/// A shell round an engine's core, part of a host. What the engine asks of the NIC goes over the socket, and what the NIC
/// tells comes back over it; the host calls the engine for its own events.
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
  /// Engines that move data themselves find them there; null: time alone.
  virtual void set_memory(std::byte*) {}
  /// Called with the time of the engine's next event, when a program has been given to it.
  void on_wake(std::function<void(Tick)> wake) { wake_ = std::move(wake); }

  VerbsInitiator verbs;

 protected:
  explicit HostAgentModule(const sc_core::sc_module_name& name)
      : sc_module(name), to_agent_(*this), verbs("verbs", to_agent_) {}
  /// The engine has an event at `when`, set from outside of the host's run.
  void wake(Tick when) {
    if (wake_) wake_(when);
  }

 private:
  std::function<void(Tick)> wake_;
};

}  // namespace tributary
