#pragma once
/// StreamEngineParams: parameters of a GPU's engine for streams and channels on a machine with NVSwitches.

#include "modules/streams/nccl_params.h"
#include "modules/streams/stream_params.h"

namespace tributary {

/// As for a GPU with links to its peers, except that copies take turns, as all of them use all links.
struct StreamEngineParams {
  StreamsParams streams;
  CopyParams copy{{}, 2500_ns, 15, CopyArbitration::in_turn};
  KernelParams kernel;
  NcclParams nccl;

  /// Returns the parameters with the published figures of a V100 for automatic values: 6 copy engines, copies in turn, sums
  /// of 260 GB/s, channels of 20 GB/s.
  StreamEngineParams resolved() const {
    StreamEngineParams p = *this;
    if (!p.copy.engines) p.copy.engines = 6;
    if (!p.copy.arbitration) p.copy.arbitration = CopyArbitration::in_turn;
    if (!p.kernel.rate) p.kernel.rate = 260_GBps;
    if (!p.nccl.link_rate) p.nccl.link_rate = 20_GBps;
    if (!p.nccl.reduce_rate) p.nccl.reduce_rate = p.nccl.link_rate;
    return p;
  }
};
template <class V>
void visit(V& v, StreamEngineParams& p) {
  v.group("streams", p.streams);
  v.group("copy", p.copy);
  v.group("kernel", p.kernel);
  v.group("nccl", p.nccl);
}

}  // namespace tributary
