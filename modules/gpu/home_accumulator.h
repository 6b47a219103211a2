#pragma once
/// HomeAccumulator: module that adds the partial sums sent to a GPU (Klenk et al., ISCA 2020, IV-C).

#include "modules/gpu/core/home_accumulator_core.h"
#include "modules/gpu/engine_module.h"

namespace tributary {

/// HomeAccumulatorCore defines its rules and probes (`partials`, `results`).
class HomeAccumulator final : public EngineShell<HomeAccumulatorCore> {
 public:
  using EngineShell::EngineShell;
};

}  // namespace tributary
