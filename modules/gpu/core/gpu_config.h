#pragma once
/// GpuConfig: configuration of a GPU and its engines at elaboration.

#include <cstdint>
#include <optional>

#include "modules/base/units.h"
#include "modules/gpu/gpu_params.h"

namespace tributary {

struct GpuConfig {
  std::uint16_t gpu = 0;
  std::optional<std::uint16_t> in_island{};  ///< its number among the GPUs of its island, for random numbers; empty: `gpu`
  GpuParams params;
  std::uint32_t wave_counters = 16;
  std::uint64_t seed = 1;
  Bandwidth injection_rate;      ///< rate of all links together
  bool acks = true;              ///< writes are acknowledged
  bool merge_acks = false;       ///< acks of its multicasts are merged in the switches
  bool wave_needs_acks = false;  ///< pull: a wave ends only when its multicast writes are acknowledged
  bool rank_order = false;       ///< all operands are added in rank order
  bool pull_requests = false;    ///< pull: consecutive DMA requests without the wave controller
  bool fence = false;            ///< software schedules: flags are sent after acks
  bool with_data = true;
  std::uint32_t multicast_counters = 0;  ///< wave counters of DmaStage::own_waves; 0: unlimited

  /// GPUs of the same number in equal islands have the same random latencies and orders.
  std::uint16_t random_stream() const { return in_island.value_or(gpu); }
};

}  // namespace tributary
