#pragma once
/// Parameters of servers of GPUs with copy engines.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "modules/stream_gpu/stream_gpu_params.h"
#include "modules/streams/nccl_params.h"
#include "platforms/blink/pcie_params.h"

namespace tributary {

/// Queues of an input of the switch that models all NVSwitches of a server.
enum class SwitchQueues : std::uint8_t { output, fifo };
template <>
struct EnumNames<SwitchQueues> {
  static const std::vector<std::pair<SwitchQueues, std::string>>& names() {
    static const std::vector<std::pair<SwitchQueues, std::string>> n{{SwitchQueues::output, "output"},
                                                                     {SwitchQueues::fifo, "fifo"}};
    return n;
  }
};

/// The ideal switch that models all NVSwitches of a server.
struct PeerSwitchParams {
  Time latency = 150_ns;
  SwitchQueues queues = SwitchQueues::output;
};
template <class V>
void visit(V& v, PeerSwitchParams& p) {
  v.field("latency", p.latency,
          Note("time from header in to header out of the NVSwitch of a server that a file describes")
              .role(ParameterRole::delay)
              .source("Klenk V [P]")
              .range("1ns", "1ms"));
  v.field("queues", p.queues,
          Note("queues of an input of that NVSwitch: one for each output, or one FIFO, whose first packet holds up the rest")
              .source("docs/blocks/pcie.md#nvswitches [G]"));
}

struct BlinkPlatformParams {
  StreamGpuParams gpu;
  NcclParams nccl;
  PeerSwitchParams nvswitch;
  PcieParams pcie;
  ServerNetworkParams net;
};
template <class V>
void visit(V& v, BlinkPlatformParams& p) {
  visit(v, p.gpu);
  v.group("nccl", p.nccl);
  v.group("nvswitch", p.nvswitch);
  v.group("pcie", p.pcie);
  v.group("net", p.net);
}

}  // namespace tributary
