#pragma once
/// CommandExecutor: module that executes a software schedule in a GPU (docs/blocks/command_executor.md).

#include "modules/gpu/core/command_executor_core.h"
#include "modules/gpu/engine_module.h"

namespace tributary {

/// CommandExecutorCore defines its rules and probes (`command`, `local`).
class CommandExecutor final : public EngineShell<CommandExecutorCore> {
 public:
  using EngineShell::EngineShell;
};

}  // namespace tributary
