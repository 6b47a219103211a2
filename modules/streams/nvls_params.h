#pragma once
/// NvlsParams: parameters of NCCL's NVLS kernel, whose thread blocks reduce in the switches (docs/blocks/nvls.md).

#include <cstdint>
#include <optional>

#include "modules/base/parameters.h"
#include "modules/base/units.h"

namespace tributary {

struct NvlsParams {
  static constexpr std::uint32_t most_blocks = 32;  ///< NCCL's most channels of NVLS
  static constexpr Time hopper_peer = 400_ns;       ///< `peer` of GPUs without a number of their own

  std::optional<std::uint32_t> channels = {};
  std::uint32_t slots = 8;
  std::optional<Bytes> chunk = {};
  Bytes payload = 64_B;
  bool merge_acks = true;
  std::optional<Bytes> window = {};
  std::optional<Bandwidth> copy_rate = {};
  Time base = 25_us;
  std::optional<Time> peer = {};
  bool registered = false;
};
template <class V>
void visit(V& v, NvlsParams& p) {
  v.field("channels", p.channels,
          Note("thread blocks of a GPU")
              .role(ParameterRole::shape)
              .source("NCCL 2.21 nvls.cc, docs/blocks/nvls.md#constants")
              .range("1", "32")
              .automatic("16; 24 on a B200"));
  v.field("slots", p.slots,
          Note("slots of each head and thread block, for operands and for sums")
              .role(ParameterRole::room)
              .source("NCCL 2.21 devcomm.h NCCL_STEPS")
              .range("1", "64"));
  v.field("chunk", p.chunk,
          Note("bytes of a head and thread block in a loop, at most a slot")
              .role(ParameterRole::shape)
              .source("NCCL 2.21 enqueue.cc, docs/blocks/nvls.md#pieces")
              .range("128B", "16MiB")
              .multiple_of("128B")
              .automatic("128, 64, 32 or 16 KiB by the size of the message"));
  v.field("payload", p.payload,
          Note("bytes of a load-reduce, a power of two; a multicast store has 128 B")
              .role(ParameterRole::shape)
              .source("docs/blocks/nvls.md#payload [G]")
              .range("16B", "128B"));
  v.field("merge_acks", p.merge_acks,
          Note("switches merge the acks of a multicast store on their way back, as nvswitch.acks=merged does for all writes")
              .source("docs/blocks/nvls.md#acks [G]"));
  v.field("window", p.window,
          Note("bytes of load-reduces in flight of a thread block; at least a payload")
              .role(ParameterRole::room)
              .source("NCCL 2.21 common_kernel.h, docs/blocks/nvls.md#window [G]")
              .range("16B", "1GiB")
              .automatic("2 KiB a warp: 14 KiB up to 6 GPUs, 10 KiB above"));
  v.field("copy_rate", p.copy_rate,
          Note("rate at which a thread block copies into its slots, and out of them; 0GB/s: copies need no time")
              .role(ParameterRole::rate)
              .source("docs/blocks/nvls.md#copies [G]")
              .range("0GB/s", "100TB/s")
              .automatic("half of kernel.rate over the channels"));
  v.field("base", p.base,
          Note("time from the start of the kernel to the first copy: launch and set-up")
              .role(ParameterRole::delay)
              .source("NCCL 2.21 tuning.cc, docs/blocks/nvls.md#constants [G]")
              .range("0ns", "1ms"));
  v.field("peer", p.peer,
          Note("time in which a thread block polls and posts the flags of one peer, once a loop")
              .role(ParameterRole::delay)
              .source("NCCL 2.21 tuning.cc, docs/blocks/nvls.md#constants [G]")
              .range("0ns", "1ms")
              .automatic("400ns; 1us on a B200"));
  v.field("registered", p.registered,
          Note("the message itself is the multicast region: no copies into slots and out of them")
              .source("NCCL 2.21 all_reduce.h"));
}

}  // namespace tributary
