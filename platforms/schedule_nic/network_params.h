#pragma once
/// NetworkParams: parameters of networks of NICs (Huang et al., ISCA 2021, Table III).

#include "modules/link/link_params.h"
#include "modules/nic/nic_params.h"
#include "modules/protocol/segmentation.h"
#include "modules/switching/router_params.h"

namespace tributary {

struct NetworkLinkParams {
  Bandwidth rate = 16_GBps;
  std::optional<Bandwidth> y_rate = {};
  Time latency = 150_ns;
};
template <class V>
void visit(V& v, NetworkLinkParams& p) {
  v.field("rate", p.rate,
          Note("bandwidth of a link in each direction")
              .role(ParameterRole::rate)
              .source("MultiTree Table III [P]")
              .range("1MB/s", "10TB/s"));
  v.field(
      "y_rate", p.y_rate,
      Note(
          "bandwidth of the links of a torus or mesh between rows (Y); an integer multiple or an integer fraction of `rate`")
          .role(ParameterRole::rate)
          .source("MultiTree III [P], docs/systems/multitree.md#unequal-links [G]")
          .range("1MB/s", "10TB/s")
          .automatic("rate"));
  v.field("latency", p.latency,
          Note("wire delay of packets and credits")
              .role(ParameterRole::delay)
              .source("MultiTree Table III [P]")
              .range("1ns", "1ms"));
}

struct NetworkParams {
  NetworkLinkParams link;
  RouterParams router;
  FlowControlParams flow_control;
  NicParams nic;
  std::optional<std::uint32_t> tree_chunks;
};
template <class V>
void visit(V& v, NetworkParams& p) {
  v.group("link", p.link);
  v.group("router", p.router);
  v.group("flow_control", p.flow_control);
  v.group("nic", p.nic);
  v.field("tree_chunks", p.tree_chunks,
          Note("number of message segments in the pipelines of double_binary_tree, for both trees together")
              .role(ParameterRole::shape)
              .source("docs/systems/multitree.md#segments [G]")
              .range("2", "4096")
              .automatic("one per 16 KiB, from 2 to 4096 / nodes; with schedule_nic.nic.issue=table at most one per node"));
}

}  // namespace tributary
