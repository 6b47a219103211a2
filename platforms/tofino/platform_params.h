#pragma once
/// Parameters of hosts on a programmable switch.

#include "modules/base/parameters.h"
#include "modules/base/units.h"
#include "modules/tofino/tofino_params.h"

namespace tributary {

struct TofinoLinkParams {
  Bandwidth rate = 100_Gbps;
  Time latency = 10_ns;
  double loss_rate = 0;
  double bit_error_rate = 0;
};
template <class V>
void visit(V& v, TofinoLinkParams& p) {
  v.field("rate", p.rate,
          Note("bandwidth of a port in each direction")
              .role(ParameterRole::rate)
              .source("Liu et al., Table 6 [P]")
              .range("1Gb/s", "1600Gb/s"));
  v.field("latency", p.latency,
          Note("delay of a cable in a rack, 2 m").role(ParameterRole::delay).source("[G]").range("1ns", "1ms"));
  v.field("loss_rate", p.loss_rate,
          Note("probability that a frame is lost on a link")
              .role(ParameterRole::fault)
              .source("for experiments")
              .range("0", "0.5"));
  v.field("bit_error_rate", p.bit_error_rate,
          Note("probability that a bit of a frame is wrong at the far end, which drops the frame")
              .role(ParameterRole::fault)
              .source("for experiments")
              .range("0", "0.001"));
}

/// Parameters of workers, and of the server of ATP.
struct TofinoHostParams {
  Time tx_latency = 1600_ns;
  Time rx_latency = 1300_ns;
};
template <class V>
void visit(V& v, TofinoHostParams& p) {
  v.field("tx_latency", p.tx_latency,
          Note("time from the software to the first bit of a packet")
              .role(ParameterRole::delay)
              .source("docs/systems/netreduce.md#host-times [G]")
              .range("10ns", "1ms"));
  v.field("rx_latency", p.rx_latency,
          Note("time from the last bit of a packet to the software")
              .role(ParameterRole::delay)
              .source("docs/systems/netreduce.md#host-times [G]")
              .range("10ns", "1ms"));
}

struct TofinoPlatformParams {
  TofinoLinkParams link;
  TofinoParams tofino_switch;
  TofinoHostParams host;
  SwitchmlParams switchml;
  SwitchmlRdmaParams switchml_rdma;
  AtpParams atp;
};
template <class V>
void visit(V& v, TofinoPlatformParams& p) {
  v.group("link", p.link);
  v.group("switch", p.tofino_switch);
  v.group("host", p.host);
  v.group("switchml", p.switchml);
  v.group("switchml_rdma", p.switchml_rdma);
  v.group("atp", p.atp);
}

}  // namespace tributary
