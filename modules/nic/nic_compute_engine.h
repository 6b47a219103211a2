#pragma once
/// NicComputeEngine: module that executes the compute tasks of a NIC's node in a training step
/// (docs/blocks/nic.md#training-steps).

#include <systemc>

#include "modules/tasks/compute_queues.h"

namespace tributary {

/// Shell of a node's compute unit. The NIC's core calls the unit directly, not through the shell.
class ComputeModule : public sc_core::sc_module {
 public:
  virtual ComputeUnit& unit() = 0;

 protected:
  explicit ComputeModule(const sc_core::sc_module_name& name) : sc_module(name) {}
};

/// ComputeQueues defines its rules and probes (`task`, `busy`, `rate`).
class NicComputeEngine final : public ComputeModule {
 public:
  explicit NicComputeEngine(const sc_core::sc_module_name& name) : ComputeModule(name) {}
  ComputeUnit& unit() override { return queues_; }

 private:
  ComputeQueues queues_;
};

}  // namespace tributary
