#pragma once
/// ComputeEngine: module that executes the compute tasks of a GPU (docs/blocks/gpu.md#tasks).

#include "modules/gpu/core/compute_engine_core.h"
#include "modules/gpu/engine_module.h"

namespace tributary {

/// ComputeEngineCore defines its rules and probes (`task`, `busy`, `rate`).
class ComputeEngine final : public EngineShell<ComputeEngineCore> {
 public:
  using EngineShell::EngineShell;
  /// Name of its seat.
  static constexpr const char* seat_name = "compute";
};

}  // namespace tributary
