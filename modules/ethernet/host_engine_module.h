#pragma once
/// HostEngineModule: an engine of a host as a module, with its verbs socket.

#include <functional>
#include <systemc>
#include <utility>

#include "modules/ethernet/core/host_engine.h"
#include "modules/ethernet/verbs_socket.h"

namespace tributary {

/// A shell round an engine's core, part of a host. What the engine asks of the NIC goes over the socket; the host calls the
/// engine for its own events.
class HostEngineModule : public sc_core::sc_module {
 public:
  virtual HostEngine& engine() = 0;
  /// Engines that move data themselves find them there; null: time alone.
  virtual void set_memory(std::byte*) {}
  /// Called with the time of the engine's next event, when a program has been given to it.
  void on_wake(std::function<void(Tick)> wake) { wake_ = std::move(wake); }

  VerbsInitiator verbs;

 protected:
  /// `listener`: the engine.
  HostEngineModule(const sc_core::sc_module_name& name, VerbsListener& listener)
      : sc_module(name), verbs("verbs", listener) {}
  /// The engine has an event at `when`, set from outside of the host's run.
  void wake(Tick when) {
    if (wake_) wake_(when);
  }

 private:
  std::function<void(Tick)> wake_;
};

}  // namespace tributary
