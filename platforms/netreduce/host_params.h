#pragma once
/// Parameters of a host beside its NIC.

#include "modules/base/parameters.h"
#include "modules/base/units.h"

namespace tributary {

struct HostParams {
  Bandwidth reduction_rate = 150_GBps;
  Bytes slice = 128_KiB;
  Bytes in_flight = 256_KiB;
};

template <class V>
void visit(V& v, HostParams& p) {
  v.field("reduction_rate", p.reduction_rate,
          Note("at which a host adds what a software collective has brought")
              .source("docs/systems/netreduce.md#scope [G]")
              .range("1GB/s", "10TB/s"));
  v.field(
      "slice", p.slice,
      Note("chunks of software all-reduces, broadcasts and reductions are cut into slices of at most so many bytes, each "
           "sent and added by itself: a host adds one while the next is on its way")
          .source("public code of NCCL: NCCL_P2P_NET_CHUNKSIZE [G]")
          .range("64KiB", "1GiB")
          .multiple_of("128B"));
  v.field(
      "in_flight", p.in_flight,
      Note("the next chunk for another host is posted while fewer bytes to it are not acknowledged: two slices, so that one "
           "follows the other at once")
          .source("docs/systems/netreduce.md#software-collectives [G]")
          .range("1KiB", "1GiB"));
}

}  // namespace tributary
