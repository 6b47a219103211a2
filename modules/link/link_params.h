#pragma once
/// LinkParams: parameters of a link and of its flow control.

#include <optional>

#include "modules/base/parameters.h"
#include "modules/base/units.h"

namespace tributary {

/// One direction of a credited, NVLink-like link.
struct LinkParams {
  Bandwidth rate = 25_GBps;
  Time latency = 20_ns;
  double bit_error_rate = 0;
  std::optional<Bytes> replay_buffer;  ///< auto: covers the round trip
};

template <class V>
void visit(V& v, LinkParams& p) {
  v.field("rate", p.rate,
          Note("bandwidth of a port in each direction")
              .role(ParameterRole::rate)
              .source("Klenk V [P]")
              .range("1MB/s", "10TB/s"));
  v.field("latency", p.latency,
          Note("wire delay of packets and of credits")
              .role(ParameterRole::delay)
              .source("docs/systems/klenk.md#delays [G]")
              .range("1ns", "1ms"));
  v.field("bit_error_rate", p.bit_error_rate,
          Note("probability of a bit error; the far end drops a corrupted packet, and the sender sends it again")
              .role(ParameterRole::fault)
              .source("docs/systems/klenk.md#link-errors [P]")
              .range("0", "0.001"));
  v.field("replay_buffer", p.replay_buffer,
          Note("buffer of unacknowledged flits at the sender of a link; a full one stalls new packets")
              .role(ParameterRole::room)
              .source("docs/systems/klenk.md#retransmission [G]")
              .range("144B", "16MiB")
              .automatic("(2 x latency + a flit) x rate of the link + two packets"));
}

}  // namespace tributary
