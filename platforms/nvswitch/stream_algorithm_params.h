#pragma once
/// Parameters of algorithms that use streams and channels on NVSwitch platforms: Blink's trees and NCCL's channels.

#include <cstdint>
#include <optional>

#include "modules/base/parameters.h"
#include "modules/base/units.h"
#include "platforms/tree_phases.h"

namespace tributary {

struct HopTreeParams {
  std::optional<Bytes> chunk;
  Phases phases = Phases::overlap;
};
template <class V>
void visit(V& v, HopTreeParams& p) {
  v.field("chunk", p.chunk,
          Note("largest chunk of a tree, moved by one copy")
              .role(ParameterRole::shape)
              .source("Blink 4.2 [P]")
              .range("128B", "1GB")
              .automatic("1 MB; with several iterations tuned from this value"));
  v.field("phases", p.phases,
          Note("start of an all-reduce's broadcast phase: per chunk when the chunk is reduced, or when all chunks of the "
               "tree are")
              .source("docs/systems/blink.md#codegen [G]"));
}

struct RingChannelParams {
  std::optional<std::uint32_t> channels;
  Bytes trees_below = 16_KiB;
};
template <class V>
void visit(V& v, RingChannelParams& p) {
  v.field("channels", p.channels,
          Note("channels of a job")
              .role(ParameterRole::shape)
              .source("NCCL 2.4 p2p.cu, docs/blocks/nccl_channels.md#rings [G]")
              .range("1", "16")
              .automatic("copies per NVLink of a GPU"));
  v.field("trees_below", p.trees_below,
          Note("smaller all-reduces go up and down trees; 0B: all use rings, as in NCCL 2.4 on one server")
              .role(ParameterRole::shape)
              .source("Blink 5.3 [P], docs/blocks/nccl_channels.md#trees")
              .range("0B", "1GiB"));
}

}  // namespace tributary
