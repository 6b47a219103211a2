#pragma once
/// HomeAccumulator: adds up the partial sums that a GPU is sent, as a module (Klenk et al., ISCA 2020, IV-C).

#include "modules/gpu/core/home_accumulator_core.h"
#include "modules/gpu/engine_module.h"

namespace tributary {

/// Rules and probes (`partials`, `results`): HomeAccumulatorCore.
class HomeAccumulator final : public EngineShell<HomeAccumulatorCore> {
 public:
  using EngineShell::EngineShell;
};

}  // namespace tributary
