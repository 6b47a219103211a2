#pragma once
/// Parameters of a GPU with copy engines (Wang et al., MLSys 2020, 4).

#include <optional>

#include "modules/base/parameters.h"
#include "modules/base/units.h"
#include "modules/streams/stream_params.h"

namespace tributary {

/// Direct links between GPUs.
struct PeerLinkParams {
  std::optional<Bandwidth> rate;
  Time latency = 20_ns;
  Bytes payload = 256_B;
};
template <class V>
void visit(V& v, PeerLinkParams& p) {
  v.field("rate", p.rate,
          Note("bandwidth of one NVLink in each direction")
              .role(ParameterRole::rate)
              .source("Blink Figure 1 [P], docs/systems/blink.md#machines [G]")
              .range("1MB/s", "10TB/s")
              .automatic("rate of a file, else by the kind of GPU, docs/systems/blink.md#gpus"));
  v.field("latency", p.latency,
          Note("wire delay of packets and of credits")
              .role(ParameterRole::delay)
              .source("docs/systems/klenk.md#delays [G]")
              .range("1ns", "1ms"));
  v.field("payload", p.payload,
          Note("payload of a packet of a copy, after a header flit of 16 B")
              .role(ParameterRole::shape)
              .source("docs/blocks/copy_engine.md#bursts [G]")
              .range("16B", "256B")
              .multiple_of("16B"));
}

/// Memory of a GPU.
struct StreamMemoryParams {
  Bandwidth rate{};
  Time latency{};
};
template <class V>
void visit(V& v, StreamMemoryParams& p) {
  v.field(
      "rate", p.rate,
      Note("bandwidth of a GPU's memory, shared by copies that leave, packets that arrive, kernels and channels; 0GB/s: no "
           "limit")
          .role(ParameterRole::rate)
          .source("docs/blocks/stream_gpu.md#memory [G]")
          .range("0GB/s", "100TB/s"));
  v.field("latency", p.latency,
          Note("time from a copy engine's request to its data")
              .role(ParameterRole::delay)
              .source("docs/blocks/copy_engine.md#rate-and-window [G]")
              .range("0ns", "1ms"));
}

/// Times of the CPU for a stream.
struct StreamHostParams {
  Time peer_switch = 450_us;
};
template <class V>
void visit(V& v, StreamHostParams& p) {
  v.field("peer_switch", p.peer_switch,
          Note("time for each GPU to switch peer access from NVLink to PCIe (T_dpa of Eq. 8 over the number of GPUs); "
               "calibrated on Blink Figure 26")
              .role(ParameterRole::delay)
              .source("docs/blocks/stream_gpu.md#times-of-commands [G]")
              .range("0ns", "100ms"));
}

/// Parameters of the GPUs of a platform. The platform sets the automatic values before it makes a GPU.
struct StreamGpuParams {
  StreamsParams streams;
  CopyParams copy;
  KernelParams kernel;
  PeerLinkParams nvlink;
  StreamMemoryParams memory;
  StreamHostParams host;
};
template <class V>
void visit(V& v, StreamGpuParams& p) {
  v.group("streams", p.streams);
  v.group("copy", p.copy);
  v.group("kernel", p.kernel);
  v.group("nvlink", p.nvlink);
  v.group("memory", p.memory);
  v.group("host", p.host);
}

}  // namespace tributary
