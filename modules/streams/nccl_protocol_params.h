#pragma once
/// Parameters of NCCL 2.21 and later: the release, forced choices, and the times of each protocol.

#include <optional>

#include "modules/base/parameters.h"
#include "modules/base/units.h"
#include "modules/streams/nccl_terms.h"

namespace tributary {

/// Times of the steps of one protocol. `hop` is that of an idle network: from the end of a step to the begin of the step of
/// the next rank, without its bytes. The model's network has its own latency, which `hop` contains.
struct ProtocolParams {
  Time base = 0_ns;
  std::optional<Time> hop;
  Time overhead = 0_ns;
  std::optional<Bandwidth> channel_rate, rate;
};
template <class V>
void visit(V& v, ProtocolParams& p) {
  const char* source = "NCCL tuning.cc, docs/blocks/nccl_protocols.md#constants [G]";
  v.field("base", p.base, Note("time before the first step").role(ParameterRole::delay).source(source).range("0ns", "1ms"));
  v.field("hop", p.hop,
          Note("time of a step on an idle network without its bytes, the latency of the network included")
              .role(ParameterRole::delay)
              .source(source)
              .range("0ns", "1ms")
              .automatic("by protocol and version, docs/blocks/nccl_protocols.md#constants"));
  v.field(
      "overhead", p.overhead,
      Note("part of a hop in which the thread block is busy, once for each slice of plain data and each chunk with flags")
          .role(ParameterRole::cycle)
          .source("docs/blocks/nccl_protocols.md#hops [G]")
          .range("0ns", "1ms"));
  v.field("channel_rate", p.channel_rate,
          Note("highest rate of data of a channel")
              .role(ParameterRole::rate)
              .source(source)
              .range("1MB/s", "10TB/s")
              .automatic("by the generation of the GPUs, docs/blocks/nccl_protocols.md#constants"));
  v.field(
      "rate", p.rate,
      Note("highest rate at which all channels of a GPU send data, which they share evenly")
          .role(ParameterRole::rate)
          .source(source)
          .range("1MB/s", "10TB/s")
          .automatic(
              "LL: by the generation of the GPUs, docs/blocks/nccl_protocols.md#constants; others: no limit but the links"));
}

/// A protocol that also carries sends and receives of two ranks.
struct PairProtocolParams : ProtocolParams {
  std::optional<Bandwidth> block_rate = {};
};
template <class V>
void visit(V& v, PairProtocolParams& p) {
  visit(v, static_cast<ProtocolParams&>(p));
  v.field("block_rate", p.block_rate,
          Note("highest rate of data that a thread block sends, and that it receives (send/receive and all-to-all)")
              .role(ParameterRole::rate)
              .source("docs/blocks/nccl_p2p.md#constants [G]")
              .range("1MB/s", "10TB/s")
              .automatic("by the generation of the GPUs, docs/blocks/nccl_p2p.md#constants"));
}

/// Sends and receives of pairs of ranks.
struct NcclP2pParams {
  std::optional<std::uint32_t> channels = {}, peer_channels = {};
  Bytes ll_threshold = 16_KiB;
  Bytes chunk = 512_KiB;
};
template <class V>
void visit(V& v, NcclP2pParams& p) {
  v.field("channels", p.channels,
          Note("thread blocks of a GPU for sends and receives, a power of two")
              .role(ParameterRole::shape)
              .source("NCCL paths.cc, docs/blocks/nccl_p2p.md#channels")
              .range("1", "64")
              .automatic("those of rings, up to 2.27 at least those of NVLS, rounded up to a power of two"));
  v.field("peer_channels", p.peer_channels,
          Note("channels of a message; at most those that a peer may have")
              .role(ParameterRole::shape)
              .source("NCCL enqueue.cc, docs/blocks/nccl_p2p.md#channels")
              .range("1", "64")
              .automatic("by the size of the message"));
  v.field("ll_threshold", p.ll_threshold,
          Note("bytes for each channel of a peer up to which sends use LL: NCCL_P2P_LL_THRESHOLD")
              .role(ParameterRole::shape)
              .source("NCCL enqueue.cc, docs/blocks/nccl_p2p.md#protocol")
              .range("0B", "1GiB"));
  v.field("chunk", p.chunk,
          Note("chunk of plain data, and size of a slot: NCCL_P2P_NVL_CHUNKSIZE")
              .role(ParameterRole::shape)
              .source("NCCL init.cc, docs/blocks/nccl_p2p.md#channels")
              .range("4KiB", "512KiB")
              .multiple_of("4KiB"));
}

/// Times of the steps of trees. `channel_rate` is that of a whole thread block: its two groups of warps share it.
struct NcclTreeParams {
  ProtocolParams ll{6800_ns, {}, 0_ns, {}, {}}, ll128{14_us, {}, 650_ns, {}, {}}, simple{8400_ns, {}, 2_us, {}, {}};

  const ProtocolParams& of(nccl::Protocol p) const {
    return p == nccl::Protocol::ll ? ll : p == nccl::Protocol::ll128 ? ll128 : simple;
  }
};
template <class V>
void visit(V& v, NcclTreeParams& p) {
  v.group("ll", p.ll);
  v.group("ll128", p.ll128);
  v.group("simple", p.simple);
}

struct NcclProtocolParams {
  std::optional<nccl::Version> version;
  std::optional<nccl::Algorithm> algorithm;
  std::optional<nccl::Protocol> protocol;
  bool direct = true;
  PairProtocolParams ll{{6600_ns, {}, 0_ns, {}, {}}};
  ProtocolParams ll128{14_us, {}, 1300_ns, {}, {}};
  PairProtocolParams simple{{8400_ns, {}, 1700_ns, {}, {}}};
  NcclP2pParams p2p;
  NcclTreeParams tree;

  unsigned capability = 0, links = 0;  ///< compute capability and NVLinks of a GPU; the machine sets them

  const ProtocolParams& of(nccl::Protocol p) const {
    switch (p) {
      case nccl::Protocol::ll:
        return ll;
      case nccl::Protocol::ll128:
        return ll128;
      case nccl::Protocol::simple:
        break;
    }
    return simple;
  }
};
template <class V>
void visit(V& v, NcclProtocolParams& p) {
  v.field("version", p.version,
          Note("release of NCCL; 2.4 has the channels of docs/blocks/nccl_channels.md, later ones those of "
               "docs/blocks/nccl_protocols.md")
              .source("docs/blocks/nccl_protocols.md#versions [G]")
              .automatic("2.4 with P100 and V100, else 2.29"));
  v.field("algorithm", p.algorithm,
          Note("algorithm of `nccl` from version 2.21 on, as NCCL_ALGO forces it")
              .source("NCCL tuning.cc, docs/blocks/nccl_protocols.md#tuner")
              .automatic("NCCL's tuner chooses by size"));
  v.field("protocol", p.protocol,
          Note("protocol of `nccl` from version 2.21 on, as NCCL_PROTO forces it")
              .source("NCCL tuning.cc, docs/blocks/nccl_protocols.md#tuner")
              .automatic("NCCL's tuner chooses by size"));
  v.field("direct", p.direct,
          Note("plain data of a ring or tree also reach the receiver's own buffer, so that its last step copies nothing")
              .source("NCCL 2.21 to 2.29 prims_simple.h, docs/blocks/nccl_protocols.md#last-step [G]"));
  v.group("ll", p.ll);
  v.group("ll128", p.ll128);
  v.group("simple", p.simple);
  v.group("p2p", p.p2p);
  v.group("tree", p.tree);
}

}  // namespace tributary
