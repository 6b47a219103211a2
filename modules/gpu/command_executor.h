#pragma once
/// CommandExecutor: carries out a software schedule in a GPU, as a module (docs/blocks/command_executor.md).

#include "modules/gpu/core/command_executor_core.h"
#include "modules/gpu/engine_module.h"

namespace tributary {

/// Rules and probes (`command`, `local`): CommandExecutorCore.
class CommandExecutor final : public EngineShell<CommandExecutorCore> {
 public:
  using EngineShell::EngineShell;
};

}  // namespace tributary
