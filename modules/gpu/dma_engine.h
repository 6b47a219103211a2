#pragma once
/// DmaEngine: request queue, request generator and wave controller of a GPU, as a module (Klenk et al., ISCA 2020, IV-D).

#include "modules/gpu/core/dma_engine_core.h"
#include "modules/gpu/engine_module.h"

namespace tributary {

/// Rules and probes (`credits`, `retries`, `waveN.*`): DmaEngineCore.
class DmaEngine final : public EngineShell<DmaEngineCore> {
 public:
  using EngineShell::EngineShell;
};

}  // namespace tributary
