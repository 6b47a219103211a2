#pragma once
/// Parameters of a host besides its NIC: its GPUs, their links, and parameter servers, which are hosts (Liu et al., 5.4).

#include <cstdint>
#include <optional>

#include "modules/base/parameters.h"
#include "modules/base/units.h"

namespace tributary {

struct HostParams {
  Bandwidth reduction_rate = 150_GBps;
  Bytes slice = 128_KiB;
  Bytes in_flight = 256_KiB;
  Bandwidth intra_rate = 150_GBps;
  Time hop = 1_us;
  std::optional<Bandwidth> inter_rate;
};

template <class V>
void visit(V& v, HostParams& p) {
  v.field("reduction_rate", p.reduction_rate,
          Note("rate at which a host adds the data of a software collective")
              .role(ParameterRole::rate)
              .source("docs/systems/netreduce.md#scope [G]")
              .range("1GB/s", "10TB/s"));
  v.field("slice", p.slice,
          Note("largest slice into which chunks of software all-reduces, broadcasts and reductions are cut; each slice is "
               "sent and added by itself, so a host adds one while the next is in flight")
              .role(ParameterRole::shape)
              .source("public code of NCCL: NCCL_P2P_NET_CHUNKSIZE [G]")
              .range("64KiB", "1GiB")
              .multiple_of("128B"));
  v.field("in_flight", p.in_flight,
          Note("the next chunk for another host is posted while fewer bytes to it are unacknowledged; two slices let one "
               "follow the other immediately")
              .role(ParameterRole::room)
              .source("docs/systems/netreduce.md#software-collectives [G]")
              .range("1KiB", "1GiB"));
  v.field("intra_rate", p.intra_rate,
          Note("bandwidth of a GPU to the others of its host, in each direction: Bi, 15.75 to 150 GB/s in the paper")
              .role(ParameterRole::rate)
              .source("Liu et al., Eq. (2), (3) [P]")
              .range("1GB/s", "10TB/s"));
  v.field("hop", p.hop,
          Note("latency of a transfer between GPUs of a host: alpha")
              .role(ParameterRole::delay)
              .source("Liu et al., Eq. (2), (3) [P]")
              .range("1ns", "1ms"));
  v.field("inter_rate", p.inter_rate,
          Note("rate at which a host's software supplies payloads to its NIC, for all queue pairs together")
              .role(ParameterRole::rate)
              .source("docs/systems/netreduce.md#rate-of-software [G]")
              .range("1Gb/s", "1600Gb/s")
              .automatic("as fast as the NIC reads them"));
}

struct ParameterServerParams {
  std::uint32_t servers = 1;
};

template <class V>
void visit(V& v, ParameterServerParams& p) {
  v.field("servers", p.servers,
          Note("hosts that add for the workers of parameter_server, an equal range of the tensor each: the last hosts of "
               "the machine; they have no ranks")
              .role(ParameterRole::structure)
              .source("docs/systems/netreduce.md#collectives [P]")
              .range("1", "32"));
}

}  // namespace tributary
