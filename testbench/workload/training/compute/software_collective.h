#pragma once
/// What a collective of software costs beside its transfer.

#include <cstdint>

#include "modules/base/parameters.h"
#include "modules/base/units.h"

namespace tributary::training {

/// Defaults: none of it, an idealised ring. NCCL's own cost model for ring and Simple on NVLink has 8.4 us a collective and
/// 3.4 us a step (NVIDIA/nccl, src/graph/tuning.cc, versions 2.1x).
struct SoftwareCollectiveParams {
  std::uint32_t multiprocessors = 0;
  Time launch;
  Time step;
};
template <class V>
void visit(V& v, SoftwareCollectiveParams& p) {
  v.field("sms", p.multiprocessors,
          Note("of 80 streaming multiprocessors, taken while it is active: one for each channel of NCCL")
              .source("docs/training_models.md#interference [G]")
              .range("0", "79"));
  v.field("launch", p.launch,
          Note("before its first step; 8.4us in NCCL's cost model").source("NCCL, src/graph/tuning.cc").range("0ps", "1s"));
  v.field("step", p.step,
          Note("of each step of its schedule; 3.4us on NVLink, 5.7us over PCIe, 14us over a network in NCCL's cost model")
              .source("NCCL, src/graph/tuning.cc")
              .range("0ps", "1s"));
}

/// launch + steps x step: what is added to the transfer. An all-reduce of a ring of n ranks has 2 (n - 1) steps.
inline Tick software_time(const SoftwareCollectiveParams& params, std::uint64_t steps) {
  return params.launch.value + steps * params.step.value;
}

}  // namespace tributary::training
