#pragma once
/// Parameters of servers of GPUs with copy engines.

#include "modules/stream_gpu/stream_gpu_params.h"
#include "platforms/blink/pcie_params.h"

namespace tributary {

struct BlinkPlatformParams {
  StreamGpuParams gpu;
  PcieParams pcie;
  ServerNetworkParams net;
};
template <class V>
void visit(V& v, BlinkPlatformParams& p) {
  visit(v, p.gpu);
  v.group("pcie", p.pcie);
  v.group("net", p.net);
}

}  // namespace tributary
