#pragma once
/// NvSwitchPlatformParams: all parameters of a platform of GPUs and NVSwitches, `nvswitch.*`.

#include "modules/gpu/gpu_params.h"
#include "modules/gpu/stream_engine_params.h"
#include "modules/link/link_params.h"
#include "modules/nvswitch/nvswitch_params.h"
#include "modules/streams/launch_params.h"
#include "modules/streams/nccl_protocol_params.h"
#include "modules/streams/nvls_params.h"
#include "platforms/nvswitch/collective_params.h"
#include "platforms/nvswitch/placement.h"
#include "platforms/nvswitch/stream_algorithm_params.h"

namespace tributary {

struct NvSwitchPlatformParams {
  LinkParams link;
  NvSwitchParams switches;
  FabricParams fabric;
  GpuParams gpu;
  Placement placement = Placement::contiguous;
  AckMode acks = AckMode::separate;
  PullParams pull;
  RingParams ring;
  StreamEngineParams stream_engine;
  HopTreeParams hop_trees;
  RingChannelParams ring_channels;
  NcclProtocolParams nccl;
  NvlsParams nvls;
  LaunchParams host;
};

template <class V>
void visit(V& v, NvSwitchPlatformParams& p) {
  v.group("link", p.link);
  v.group("switch", p.switches);
  v.group("fabric", p.fabric);
  v.group("gpu", p.gpu);
  v.field("placement", p.placement,
          Note("GPUs selected by `--gpus N`: GPUs 0 to N-1, or N spread evenly over the boards or leaf groups")
              .source("docs/systems/klenk.md#placement [G]"));
  v.field("acks", p.acks,
          Note("write acknowledgements: one 16 B packet per received copy, merged in the tree of a multicast, or none")
              .source("docs/systems/klenk.md#acknowledgements [G]"));
  v.group("pull", p.pull);
  v.group("ring", p.ring);
  visit(v, p.stream_engine);
  v.group("nccl", p.ring_channels);
  v.group("nccl", p.nccl);
  v.group("nvls", p.nvls);
  v.group("host", p.host);
  v.group("blink", p.hop_trees);
}

}  // namespace tributary
