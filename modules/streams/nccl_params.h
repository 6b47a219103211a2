#pragma once
/// Parameters of channels as NCCL has them: the baseline of Wang et al., MLSys 2020.

#include <cstdint>
#include <optional>

#include "modules/base/parameters.h"
#include "modules/base/units.h"

namespace tributary {

/// What a hop costs beyond its bytes, by the way that it takes.
struct HopTimes {
  Time nvlink, pcie, network;
};
template <class V>
void visit(V& v, HopTimes& p) {
  const char* source = "NCCL 2.7 tuning.cc, docs/blocks/nccl_channels.md#constants [G]";
  v.field("nvlink", p.nvlink,
          Note("from a piece being there to the step that takes it, by NVLink").source(source).range("0ns", "1ms"));
  v.field("pcie", p.pcie, Note("the same by PCIe").source(source).range("0ns", "1ms"));
  v.field("network", p.network, Note("the same between servers").source(source).range("0ns", "1ms"));
}

struct LowLatencyParams {
  Bytes below = 16_KiB;
  Time base = 3600_ns;
  std::uint32_t rate_share = 4;
  HopTimes step{470_ns, 1_us, 2700_ns};
};
template <class V>
void visit(V& v, LowLatencyParams& p) {
  v.field("below", p.below,
          Note("messages smaller than that carry flags among their data; 0B: none does")
              .source("docs/blocks/nccl_channels.md#constants [G]")
              .range("0B", "1GiB"));
  v.field("base", p.base,
          Note("time before the first step")
              .source("NCCL 2.7 tuning.cc, docs/blocks/nccl_channels.md#constants [G]")
              .range("0ns", "1ms"));
  v.field("rate_share", p.rate_share,
          Note("a channel has the rate of others divided by that")
              .source("NCCL 2.7 tuning.cc, docs/blocks/nccl_channels.md#constants [G]")
              .range("1", "64"));
  v.group("step", p.step);
}

struct NcclParams {
  std::optional<Bandwidth> link_rate = {}, reduce_rate = {};
  std::uint32_t slots = 8;
  Bytes slot = 512_KiB;
  Time base = 8400_ns;
  HopTimes step{3400_ns, 5700_ns, 9600_ns};
  LowLatencyParams low_latency;
};
template <class V>
void visit(V& v, NcclParams& p) {
  v.field("link_rate", p.link_rate,
          Note("most that a channel moves")
              .source("NCCL topo.h, docs/blocks/nccl_channels.md#constants [G]")
              .range("1MB/s", "10TB/s")
              .automatic("20GB/s on V100, 18GB/s on P100; channels of one link to an NVSwitch share it"));
  v.field("reduce_rate", p.reduce_rate,
          Note("most that it moves in steps that add")
              .source("NCCL 2.7 tuning.cc, docs/blocks/nccl_channels.md#constants [G]")
              .range("1MB/s", "10TB/s")
              .automatic("that of link_rate"));
  v.field("slots", p.slots,
          Note("slots of a channel's buffer at its receiver")
              .source("NCCL 2.4 devcomm.h, docs/blocks/nccl_channels.md#constants [G]")
              .range("4", "64")
              .multiple_of("4"));
  v.field("slot", p.slot,
          Note("size of a slot: a piece of a broadcast or reduce; pieces of other collectives take two")
              .source("NCCL 2.4 collectives.h, docs/blocks/nccl_channels.md#pieces [G]")
              .range("128B", "64MiB")
              .multiple_of("128B"));
  v.field("base", p.base,
          Note("time before the first step")
              .source("NCCL 2.7 tuning.cc, docs/blocks/nccl_channels.md#constants [G]")
              .range("0ns", "1ms"));
  v.group("step", p.step);
  v.group("low_latency", p.low_latency);
}

}  // namespace tributary
