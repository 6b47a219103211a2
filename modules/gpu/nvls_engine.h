#pragma once
/// NvlsEngine: module with the thread blocks of NCCL's NVLS kernel at a GPU (docs/blocks/nvls.md).

#include "modules/gpu/core/nvls_engine_core.h"
#include "modules/gpu/engine_module.h"
#include "modules/gpu/gpu_parts.h"

namespace tributary {

/// NvlsEngineCore defines its rules and probes (`nvlsN.stage`, `nvlsN.step`, `nvlsN.busy`).
class NvlsEngine final : public EngineModule {
 public:
  /// Name of its seat.
  static constexpr const char* seat_name = "nvls";
  /// For GpuParts::add(seat_name, ...).
  static EngineFactory factory(const NvlsParams& params, unsigned multiprocessors = KernelSequence::unlimited) {
    return
        [=](const char* name, EngineSeat seat) { return std::make_unique<NvlsEngine>(name, seat, params, multiprocessors); };
  }

  NvlsEngine(const sc_core::sc_module_name& name, EngineSeat seat, const NvlsParams& params,
             unsigned multiprocessors = KernelSequence::unlimited)
      : EngineModule(name), core(seat, params, multiprocessors) {}
  GpuEngine& engine() override { return core; }
  NvlsEngineCore core;
};

}  // namespace tributary
