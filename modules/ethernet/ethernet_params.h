#pragma once
/// Parameters of Ethernet links (docs/systems/netreduce.md).

#include <cstdint>
#include <optional>

#include "modules/base/parameters.h"
#include "modules/base/units.h"
#include "modules/ethernet/core/frame_check.h"

namespace tributary {

struct EthernetLinkParams {
  Bandwidth rate = 100_Gbps;
  Time latency = 10_ns;
  Time uplink_latency = 50_ns;
  double loss_rate = 0;
  std::optional<double> answer_loss_rate;
  double bit_error_rate = 0;
  FrameChecking check = FrameChecking::flags;
};

template <class V>
void visit(V& v, EthernetLinkParams& p) {
  v.field("rate", p.rate,
          Note("bandwidth of a port in each direction")
              .role(ParameterRole::rate)
              .source("Liu et al., Table 6 [P]")
              .range("1Gb/s", "1600Gb/s"));
  v.field("latency", p.latency,
          Note("delay of a cable in a rack, 2 m").role(ParameterRole::delay).source("[G]").range("1ns", "1ms"));
  v.field(
      "uplink_latency", p.uplink_latency,
      Note("delay of a cable from a leaf to a spine, 10 m").role(ParameterRole::delay).source("[G]").range("1ns", "1ms"));
  v.field("loss_rate", p.loss_rate,
          Note("probability that a frame is lost on a link")
              .role(ParameterRole::fault)
              .source("for experiments")
              .range("0", "0.5"));
  v.field("answer_loss_rate", p.answer_loss_rate,
          Note("probability that an ACK, NACK or CNP is lost on a link")
              .role(ParameterRole::fault)
              .source("for experiments")
              .range("0", "0.5")
              .automatic("loss_rate"));
  v.field("bit_error_rate", p.bit_error_rate,
          Note("probability that a bit of a frame is wrong at the far end; the FCS reveals it, and the frame is dropped")
              .role(ParameterRole::fault)
              .source("for experiments")
              .range("0", "0.001"));
  v.field("check", p.check,
          Note("how NICs and accelerators detect a damaged frame: by its mark, or by checksums over its bytes; bytes also "
               "checks that the frame carries all that the model carries (slower, same results)")
              .source("docs/blocks/ethernet_frames.md"));
}

}  // namespace tributary
