#pragma once
/// OperationEngine: module with the communication queues of a GPU (docs/blocks/gpu.md#tasks).

#include "modules/gpu/core/operation_engine_core.h"
#include "modules/gpu/engine_module.h"

namespace tributary {

/// OperationEngineCore defines its rules and probes (`in_flight`).
class OperationEngine final : public EngineShell<OperationEngineCore> {
 public:
  using EngineShell::EngineShell;
  /// Name of its seat.
  static constexpr const char* seat_name = "operations";
};

}  // namespace tributary
