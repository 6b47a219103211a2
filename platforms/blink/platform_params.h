#pragma once
/// Parameters of servers of GPUs with copy engines.

#include "modules/stream_gpu/stream_gpu_params.h"
#include "modules/streams/nccl_params.h"
#include "platforms/blink/pcie_params.h"

namespace tributary {

struct BlinkPlatformParams {
  StreamGpuParams gpu;
  NcclParams nccl;
  PcieParams pcie;
  ServerNetworkParams net;
};
template <class V>
void visit(V& v, BlinkPlatformParams& p) {
  visit(v, p.gpu);
  v.group("nccl", p.nccl);
  v.group("pcie", p.pcie);
  v.group("net", p.net);
}

}  // namespace tributary
