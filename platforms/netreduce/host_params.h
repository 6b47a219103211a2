#pragma once
/// Parameters of a host beside its NIC.

#include "modules/base/parameters.h"
#include "modules/base/units.h"

namespace tributary {

struct HostParams {
  Bandwidth reduction_rate = 150_GBps;
};

template <class V>
void visit(V& v, HostParams& p) {
  v.field("reduction_rate", p.reduction_rate,
          Note("at which a host adds what a software collective has brought")
              .source("docs/systems/netreduce.md#scope [G]")
              .range("1GB/s", "10TB/s"));
}

}  // namespace tributary
