#pragma once
/// Parameters of NCCL's channels, the baseline of Wang et al., MLSys 2020.

#include <cstdint>
#include <optional>

#include "modules/base/parameters.h"
#include "modules/base/units.h"

namespace tributary {

/// Time of a hop in addition to that of its bytes, by path.
struct HopTimes {
  Time nvlink, pcie, network;
};
template <class V>
void visit(V& v, HopTimes& p) {
  const char* source = "NCCL 2.7 tuning.cc, docs/blocks/nccl_channels.md#constants [G]";
  v.field("nvlink", p.nvlink,
          Note("time from the arrival of a slice over NVLink to the step that uses it")
              .role(ParameterRole::delay)
              .source(source)
              .range("0ns", "1ms"));
  v.field("pcie", p.pcie,
          Note("time from the arrival of a slice over PCIe to the step that uses it")
              .role(ParameterRole::delay)
              .source(source)
              .range("0ns", "1ms"));
  v.field("network", p.network,
          Note("time from the arrival of a slice from another server to the step that uses it")
              .role(ParameterRole::delay)
              .source(source)
              .range("0ns", "1ms"));
}

struct LowLatencyParams {
  static constexpr std::uint32_t lines = 8;  ///< lines of 8 B of data that a thread has in a slot: NUM_LINES_PER_THREAD

  std::optional<Bytes> below = {};
  std::optional<Bytes> per_thread = {};
  std::uint32_t threads = 256;
  Time base = 3600_ns;
  std::uint32_t rate_share = 4;
  HopTimes step{470_ns, 1_us, 2700_ns};
};
template <class V>
void visit(V& v, LowLatencyParams& p) {
  v.field("below", p.below,
          Note("smaller messages carry flags among their data; 0B: no message does")
              .role(ParameterRole::shape)
              .source("NCCL 2.4 enqueue.cu, docs/blocks/nccl_channels.md#constants [G]")
              .range("0B", "1GiB")
              .automatic("channels x threads x per_thread, and x ranks if all ranks send chunks; twice that over several "
                         "servers"));
  v.field("per_thread", p.per_thread,
          Note("bytes of a chunk for each thread up to which messages carry flags")
              .role(ParameterRole::shape)
              .source("NCCL 2.4 core.h, docs/blocks/nccl_channels.md#constants [G]")
              .range("1B", "1MiB")
              .automatic("64B, 32B on a P100"));
  v.field("threads", p.threads,
          Note("threads of a channel; each has 8 lines of 8 B of data with flags in a slot")
              .role(ParameterRole::shape)
              .source("NCCL 2.4 core.h, docs/blocks/nccl_channels.md#slices [G]")
              .range("16", "1024")
              .multiple_of("16"));
  v.field("base", p.base,
          Note("time before the first step")
              .role(ParameterRole::delay)
              .source("NCCL 2.7 tuning.cc, docs/blocks/nccl_channels.md#constants [G]")
              .range("0ns", "1ms"));
  v.field("rate_share", p.rate_share,
          Note("divisor of the rate of a channel whose data carry flags")
              .role(ParameterRole::cycle)
              .source("NCCL 2.7 tuning.cc, docs/blocks/nccl_channels.md#constants [G]")
              .range("1", "64"));
  v.group("step", p.step);
}

struct NcclParams {
  std::optional<Bandwidth> link_rate = {}, reduce_rate = {};
  std::uint32_t copies = 2;
  std::uint32_t slots = 8;
  Bytes slot = 512_KiB;
  Time base = 8400_ns;
  HopTimes step{3400_ns, 5700_ns, 9600_ns};
  LowLatencyParams low_latency;
};
template <class V>
void visit(V& v, NcclParams& p) {
  v.field("link_rate", p.link_rate,
          Note("highest rate of a channel alone on its links")
              .role(ParameterRole::rate)
              .source("NCCL topo.h, docs/blocks/nccl_channels.md#constants [G]")
              .range("1MB/s", "10TB/s")
              .automatic("by the kind of GPU, docs/systems/blink.md#gpus; channels of one link share it"));
  v.field("reduce_rate", p.reduce_rate,
          Note("highest rate of a channel alone on its links in steps that add")
              .role(ParameterRole::rate)
              .source("NCCL 2.7 tuning.cc, docs/blocks/nccl_channels.md#constants [G]")
              .range("1MB/s", "10TB/s")
              .automatic("link_rate"));
  v.field("copies", p.copies,
          Note("channels of each ring of NVLinks, which share its links; at most 16 channels in all")
              .role(ParameterRole::shape)
              .source("NCCL 2.4 p2p.cu, docs/blocks/nccl_channels.md#rings [G]")
              .range("1", "16"));
  v.field("slots", p.slots,
          Note("slots of a channel's buffer at its receiver")
              .role(ParameterRole::room)
              .source("NCCL 2.4 devcomm.h, docs/blocks/nccl_channels.md#constants [G]")
              .range("4", "64")
              .multiple_of("4"));
  v.field("slot", p.slot,
          Note("size of a slot: one slice of a broadcast or reduce; slices of other collectives fill two slots")
              .role(ParameterRole::shape)
              .source("NCCL 2.4 collectives.h, docs/blocks/nccl_channels.md#slices [G]")
              .range("128B", "64MiB")
              .multiple_of("128B"));
  v.field("base", p.base,
          Note("time before the first step")
              .role(ParameterRole::delay)
              .source("NCCL 2.7 tuning.cc, docs/blocks/nccl_channels.md#constants [G]")
              .range("0ns", "1ms"));
  v.group("step", p.step);
  v.group("low_latency", p.low_latency);
}

}  // namespace tributary
