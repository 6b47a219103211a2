#pragma once
/// EngineModule: an engine of a GPU as a module with a hierarchical name.

#include <systemc>

#include "modules/gpu/core/engine_seat.h"

namespace tributary {

/// Shell of an engine's core. The hub calls the core directly, not through the shell.
class EngineModule : public sc_core::sc_module {
 public:
  virtual GpuEngine& engine() = 0;

 protected:
  explicit EngineModule(const sc_core::sc_module_name& name) : sc_module(name) {}
};

/// Shell of an engine that is constructed from its seat only.
template <class Core>
class EngineShell : public EngineModule {
 public:
  EngineShell(const sc_core::sc_module_name& name, EngineSeat seat) : EngineModule(name), core(seat) {}
  GpuEngine& engine() override { return core; }
  Core core;
};

}  // namespace tributary
