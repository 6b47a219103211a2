#pragma once
/// All parameters of a simulated system, by the binding paths of `--set` (README: parameters).

#include "modules/gpu/gpu_params.h"
#include "modules/link/link_params.h"
#include "modules/nvswitch/nvswitch_params.h"
#include "platforms/nvswitch/collective_params.h"
#include "platforms/nvswitch/placement.h"
#include "platforms/schedule_nic/network_params.h"
#include "platforms/watchdog_params.h"

namespace tributary {

struct PlatformParams {
  LinkParams link;
  NvSwitchParams switches;
  FabricParams fabric;
  GpuParams gpu;
  Placement placement = Placement::contiguous;
  AckMode acks = AckMode::separate;
  PullParams pull;
  RingParams ring;
  WatchdogParams watchdog;
  NetworkParams network;  ///< of networks of NICs, which have none of the above but the watchdog
};

template <class V>
void visit(V& v, PlatformParams& p) {
  v.group("link", p.link);
  v.group("switch", p.switches);
  v.group("fabric", p.fabric);
  v.group("gpu", p.gpu);
  v.field("placement", p.placement,
          Note("which GPUs `--gpus N` means: GPUs 0 to N-1, or N spread evenly over the boards or leaf groups")
              .source("docs/systems/klenk.md#placement [G]"));
  v.field(
      "acks", p.acks,
      Note(
          "write acknowledgements: one 16 B packet for each received copy; those of a multicast merged in its tree; or none")
          .source("docs/systems/klenk.md#acknowledgements [G]"));
  v.group("pull", p.pull);
  v.group("ring", p.ring);
  v.group("watchdog", p.watchdog);
  v.group("network", p.network);
}

}  // namespace tributary
