#pragma once
/// Parameters of a host beside its NIC: its GPUs and what joins them (Liu et al., 5.2).

#include <optional>

#include "modules/base/parameters.h"
#include "modules/base/units.h"

namespace tributary {

struct HostParams {
  Bandwidth reduction_rate = 150_GBps;
  Bandwidth intra_rate = 150_GBps;
  Time hop = 1_us;
  std::optional<Bandwidth> inter_rate;
};

template <class V>
void visit(V& v, HostParams& p) {
  v.field("reduction_rate", p.reduction_rate,
          Note("at which a host adds what a software collective has brought")
              .source("docs/systems/netreduce.md#scope [G]")
              .range("1GB/s", "10TB/s"));
  v.field("intra_rate", p.intra_rate,
          Note("bandwidth of a GPU to the others of its host, B_intra")
              .source("Liu et al., Eq. (2), (3) [P]")
              .range("1GB/s", "10TB/s"));
  v.field("hop", p.hop,
          Note("latency of a step among GPUs of a host, alpha").source("Liu et al., Eq. (2), (3) [P]").range("1ns", "1ms"));
  v.field("inter_rate", p.inter_rate,
          Note("at which a host's software feeds its NIC")
              .source("docs/systems/netreduce.md#scope [G]")
              .range("1GB/s", "1TB/s")
              .automatic("the NIC's own"));
}

}  // namespace tributary
