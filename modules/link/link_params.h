#pragma once
/// Parameters of a link and of its flow control.

#include "modules/base/parameters.h"
#include "modules/base/units.h"

namespace tributary {

/// One direction of a credited, NVLink-like link.
struct LinkParams {
  Bandwidth rate = 25_GBps;
  Time latency = 20_ns;
};

template <class V>
void visit(V& v, LinkParams& p) {
  v.field("rate", p.rate, Note("bandwidth of a port in each direction").source("Klenk V [P]").range("1MB/s", "10TB/s"));
  v.field("latency", p.latency, Note("wire delay of packets and of credits").source("klenk.md 2.3 [G]").range("1ns", "1ms"));
}

}  // namespace tributary
