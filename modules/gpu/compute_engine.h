#pragma once
/// ComputeEngine: what a GPU computes, as tasks that take their time, as a module (docs/blocks/gpu.md#tasks).

#include "modules/gpu/core/compute_engine_core.h"
#include "modules/gpu/engine_module.h"

namespace tributary {

/// Rules and probes (`task`, `busy`, `rate`): ComputeEngineCore.
class ComputeEngine final : public EngineShell<ComputeEngineCore> {
 public:
  using EngineShell::EngineShell;
  /// The name of its seat.
  static constexpr const char* seat_name = "compute";
};

}  // namespace tributary
