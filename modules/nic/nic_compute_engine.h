#pragma once
/// NicComputeEngine: what the node of a NIC computes in a training step, as a module (docs/blocks/nic.md#training-steps).

#include <systemc>

#include "modules/tasks/compute_streams.h"

namespace tributary {

/// A shell round a unit of a node's tasks. The NIC's core calls the unit itself: no call passes through the shell.
class ComputeModule : public sc_core::sc_module {
 public:
  virtual ComputeUnit& unit() = 0;

 protected:
  explicit ComputeModule(const sc_core::sc_module_name& name) : sc_module(name) {}
};

/// Rules and probes (`task`, `busy`, `rate`): ComputeStreams.
class NicComputeEngine final : public ComputeModule {
 public:
  explicit NicComputeEngine(const sc_core::sc_module_name& name) : ComputeModule(name) {}
  ComputeUnit& unit() override { return streams_; }

 private:
  ComputeStreams streams_;
};

}  // namespace tributary
