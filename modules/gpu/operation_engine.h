#pragma once
/// OperationEngine: communication streams of a GPU, as a module (docs/blocks/gpu.md#tasks).

#include "modules/gpu/core/operation_engine_core.h"
#include "modules/gpu/engine_module.h"

namespace tributary {

/// Rules and probes (`in_flight`): OperationEngineCore.
class OperationEngine final : public EngineShell<OperationEngineCore> {
 public:
  using EngineShell::EngineShell;
  /// The name of its seat.
  static constexpr const char* seat_name = "operations";
};

}  // namespace tributary
