#pragma once
/// DmaEngine: module with request queue, request generator and wave controller of a GPU (Klenk et al., ISCA 2020, IV-D).

#include "modules/gpu/core/dma_engine_core.h"
#include "modules/gpu/engine_module.h"

namespace tributary {

/// DmaEngineCore defines its rules and probes (`credits`, `retries`, `waveN.*`).
class DmaEngine final : public EngineShell<DmaEngineCore> {
 public:
  using EngineShell::EngineShell;
};

}  // namespace tributary
