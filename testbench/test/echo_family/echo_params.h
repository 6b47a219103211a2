#pragma once

#include "modules/base/parameters.h"
#include "modules/link/link_params.h"

namespace tributary {

struct EchoDeviceParams {
  Time turnaround = 5_ns;
};
template <class V>
void visit(V& v, EchoDeviceParams& p) {
  v.field("turnaround", p.turnaround,
          Note("from the last flit of a packet to the first of its echo").role(ParameterRole::delay).range("0ns", "1ms"));
}

struct EchoParams {
  LinkParams link;
  EchoDeviceParams device;
};
template <class V>
void visit(V& v, EchoParams& p) {
  v.group("link", p.link);
  v.group("device", p.device);
}

}  // namespace tributary
