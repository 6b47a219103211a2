#pragma once
/// Cost of a software collective in addition to its transfer.

#include <cstdint>

#include "modules/base/parameters.h"
#include "modules/base/units.h"

namespace tributary::training {

/// Defaults: no cost, an idealised ring. NCCL's own cost model for ring and Simple on NVLink has 8.4 us per collective and
/// 3.4 us per step (NVIDIA/nccl, src/graph/tuning.cc, versions 2.1x).
struct SoftwareCollectiveParams {
  std::uint32_t multiprocessors = 0;
  Time launch;
  Time step;
};
template <class V>
void visit(V& v, SoftwareCollectiveParams& p) {
  v.field("sms", p.multiprocessors,
          Note("streaming multiprocessors, of 80, occupied by an active collective: one per channel of NCCL")
              .role(ParameterRole::shape)
              .source("docs/training_models.md#interference [G]")
              .range("0", "79"));
  v.field("launch", p.launch,
          Note("time before the first step; 8.4us in NCCL's cost model")
              .role(ParameterRole::delay)
              .source("NCCL, src/graph/tuning.cc")
              .range("0ps", "1s"));
  v.field("step", p.step,
          Note("time added to each step of the schedule; in NCCL's cost model 3.4us on NVLink, 5.7us over PCIe, 14us over a "
               "network")
              .role(ParameterRole::delay)
              .source("NCCL, src/graph/tuning.cc")
              .range("0ps", "1s"));
}

/// Returns launch + steps x step, the time added to the transfer. A ring all-reduce of n ranks has 2 (n - 1) steps.
inline Tick software_time(const SoftwareCollectiveParams& params, std::uint64_t steps) {
  return params.launch.value + steps * params.step.value;
}

}  // namespace tributary::training
