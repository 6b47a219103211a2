#pragma once
/// What a GPU and its engines are told at elaboration.

#include <cstdint>

#include "modules/base/units.h"
#include "modules/gpu/gpu_params.h"

namespace tributary {

struct GpuConfig {
  std::uint16_t gpu = 0;
  GpuParams params;
  std::uint32_t wave_counters = 16;
  std::uint64_t seed = 1;
  Bandwidth injection_rate;      ///< of all links together
  bool acks = true;              ///< writes are acknowledged
  bool merge_acks = false;       ///< those of its multicasts are merged in the switches
  bool wave_needs_acks = false;  ///< pull: a wave ends when its multicast writes are acknowledged too
  bool rank_order = false;       ///< operands are added in the order of ranks, wherever they are
  bool pull_requests = false;    ///< pull: separate DMA requests one after another, without the wave controller
  bool fence = false;            ///< software schedules: flags behind acks
  bool with_data = true;
};

}  // namespace tributary
