#pragma once
/// Parameters of the PCIe trees of servers, and of the network between servers (docs/blocks/pcie.md).

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/parameters.h"
#include "modules/base/units.h"

namespace tributary {

struct PcieParams {
  static constexpr Bandwidth standard_rate = bytes_per_second(15'754'000'000);

  std::optional<Bandwidth> rate;  ///< rate of all links; empty: rate of the link in the topology file, else standard_rate
  double efficiency = 0.9;
  Bytes payload = 256_B;
  Bytes cpu_payload = 64_B;
  Bytes overhead = 24_B;
  Bandwidth socket_rate = 6_GBps;
  Time latency = 20_ns;
  Time switch_latency = 150_ns;
  std::optional<std::uint32_t> buffer_flits;
};
template <class V>
void visit(V& v, PcieParams& p) {
  v.field("rate", p.rate,
          Note("rate of a link in each direction: 16 lanes of 8 GT/s, 128 bits of 130")
              .role(ParameterRole::rate)
              .source("PCI Express Base 3.0")
              .range("1MB/s", "1TB/s")
              .automatic("rate of each link in a topology file, else 15754MB/s"));
  v.field(
      "efficiency", p.efficiency,
      Note("share of the rate that remains for TLPs after DLLPs and gaps; a copy then reaches 13 GB/s, and NCCL expects 12")
          .role(ParameterRole::rate)
          .source("docs/blocks/pcie.md#rates [G]")
          .range("0.1", "1"));
  v.field("payload", p.payload,
          Note("payload of a TLP between devices below one switch")
              .role(ParameterRole::shape)
              .source("docs/blocks/pcie.md#rates [G]")
              .range("64B", "256B")
              .multiple_of("64B"));
  v.field("cpu_payload", p.cpu_payload,
          Note("payload of a TLP between GPUs that passes a processor")
              .role(ParameterRole::shape)
              .source("NCCL, graph/topo.h: Intel processors split to 64 B")
              .range("64B", "256B")
              .multiple_of("64B"));
  v.field("overhead", p.overhead,
          Note("bytes of a TLP without payload: framing, header, LCRC")
              .role(ParameterRole::shape)
              .source("docs/blocks/pcie.md#rates [G]")
              .range("0B", "64B"));
  v.field("socket_rate", p.socket_rate,
          Note("payload rate between two processors in each direction: QPI of Broadwell")
              .role(ParameterRole::rate)
              .source("NCCL, graph/topo.h: BDW_QPI_BW")
              .range("100MB/s", "100GB/s"));
  v.field("latency", p.latency,
          Note("delay of a link").role(ParameterRole::delay).source("docs/blocks/pcie.md#latency [G]").range("1ns", "10us"));
  v.field("switch_latency", p.switch_latency,
          Note("time from header in to header out of a PCIe switch, a processor, a NIC or a network switch")
              .role(ParameterRole::delay)
              .source("docs/blocks/pcie.md#latency [G]")
              .range("1ns", "100us"));
  v.field("buffer_flits", p.buffer_flits,
          Note("input buffer of a port of a PCIe switch, processor, NIC or network switch, in flits of 16 B")
              .role(ParameterRole::room)
              .source("docs/blocks/pcie.md#latency [G]")
              .range("512", "65535")
              .automatic("2048, or the rate x round-trip time plus two bursts if that is more"));
}

/// The attachment of NICs.
enum class NicPlace : std::uint8_t { pcie, ideal };
template <>
struct EnumNames<NicPlace> {
  static const std::vector<std::pair<NicPlace, std::string>>& names() {
    static const std::vector<std::pair<NicPlace, std::string>> n{{NicPlace::pcie, "pcie"}, {NicPlace::ideal, "ideal"}};
    return n;
  }
};

struct ServerNetworkParams {
  static constexpr Bandwidth standard_rate = 40_Gbps;

  std::optional<Bandwidth> rate;  ///< rate of all NICs; empty: rate of the NIC in the topology file, else standard_rate
  Time latency = 1_us;
  std::optional<std::uint32_t> nics;  ///< empty: all NICs whose rate the description of the server gives, else 1
  NicPlace attach = NicPlace::pcie;
};
template <class V>
void visit(V& v, ServerNetworkParams& p) {
  v.field("rate", p.rate,
          Note("payload rate of a NIC in each direction")
              .role(ParameterRole::rate)
              .source("Blink 5.4 [P]")
              .range("100Mb/s", "1600Gb/s")
              .automatic("rate of each NIC in a topology file, else 40Gb/s"));
  v.field("latency", p.latency,
          Note("delay of a link between two NICs, or between a NIC and the switch of the network")
              .role(ParameterRole::delay)
              .source("docs/blocks/pcie.md#network [G]")
              .range("1ns", "1ms"));
  v.field("nics", p.nics,
          Note("NICs of each server")
              .role(ParameterRole::structure)
              .source("docs/blocks/pcie.md#network [G]")
              .range("1", "8")
              .automatic("NICs whose rate the description of the server gives, up to 8 and to 64 in all; else 1"));
  v.field("attach", p.attach,
          Note("attachment of NICs: to the PCIe tree, or by a separate port of every GPU to the NIC of its server")
              .source("docs/blocks/pcie.md#network [G]"));
}

}  // namespace tributary
