#pragma once
/// Parameters of clusters, `cluster.*`: servers of NVSwitches joined by NICs and Ethernet.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/parameters.h"
#include "modules/base/units.h"

namespace tributary {

/// Networks between the NICs of servers.
enum class ClusterFabric : std::uint8_t {
  rails,            ///< one switch for the NICs of equal number of all servers; nothing joins these switches
  rail_leaf_spine,  ///< the same switches with spines
  leaf_spine,       ///< one switch for the NICs of the servers of a rack, with spines
  one_switch        ///< one switch for all NICs
};

template <>
struct EnumNames<ClusterFabric> {
  static const std::vector<std::pair<ClusterFabric, std::string>>& names() {
    static const std::vector<std::pair<ClusterFabric, std::string>> n{{ClusterFabric::rails, "rails"},
                                                                      {ClusterFabric::rail_leaf_spine, "rail_leaf_spine"},
                                                                      {ClusterFabric::leaf_spine, "leaf_spine"},
                                                                      {ClusterFabric::one_switch, "switch"}};
    return n;
  }
};

/// Reduction in the NVSwitches of the servers.
enum class SwitchAdds : std::uint8_t { as_server, yes, no };

template <>
struct EnumNames<SwitchAdds> {
  static const std::vector<std::pair<SwitchAdds, std::string>>& names() {
    static const std::vector<std::pair<SwitchAdds, std::string>> n{
        {SwitchAdds::as_server, "server"}, {SwitchAdds::yes, "yes"}, {SwitchAdds::no, "no"}};
    return n;
  }
};

struct ClusterPcieParams {
  std::optional<Bandwidth> rate;  ///< empty: rate of the server
  double efficiency = 0.9;
  Bytes payload = 256_B;
  Bytes overhead = 24_B;
  Time latency = 20_ns;
  Time switch_latency = 150_ns;
  Bytes read = 4096_B;
  Bytes window = 64_KiB;
};
template <class V>
void visit(V& v, ClusterPcieParams& p) {
  v.field("rate", p.rate,
          Note("rate of the PCIe path between a GPU and its NIC, in each direction")
              .role(ParameterRole::rate)
              .source("docs/systems/cluster.md#servers")
              .range("1MB/s", "1TB/s")
              .automatic("least rate of the links between GPU and NIC"));
  v.field("efficiency", p.efficiency,
          Note("share of the rate that remains for TLPs after DLLPs and gaps")
              .role(ParameterRole::rate)
              .source("docs/blocks/pcie.md#rates [G]")
              .range("0.1", "1"));
  v.field("payload", p.payload,
          Note("payload of a TLP")
              .role(ParameterRole::shape)
              .source("docs/blocks/pcie.md#rates [G]")
              .range("64B", "256B")
              .multiple_of("64B"));
  v.field("overhead", p.overhead,
          Note("bytes of a TLP without payload: framing, header, LCRC")
              .role(ParameterRole::shape)
              .source("docs/blocks/pcie.md#rates [G]")
              .range("0B", "64B"));
  v.field("latency", p.latency,
          Note("delay of a link; the path between GPU and NIC has two, and a PCIe switch")
              .role(ParameterRole::delay)
              .source("docs/blocks/pcie.md#latency [G]")
              .range("1ns", "10us"));
  v.field("switch_latency", p.switch_latency,
          Note("time from header in to header out of a PCIe switch; with both links at least 100 ns")
              .role(ParameterRole::delay)
              .source("docs/blocks/pcie.md#latency [G]")
              .range("1ns", "100us"));
  v.field("read", p.read,
          Note("most bytes that a NIC reads from a GPU at once: eight requests of 512 B")
              .role(ParameterRole::shape)
              .source("docs/blocks/pcie_bridge.md#reads [G]")
              .range("64B", "4096B")
              .multiple_of("64B"));
  v.field("window", p.window,
          Note("bytes that a NIC reads from GPUs at once, and that a queue pair has read and not sent")
              .role(ParameterRole::room)
              .source("docs/blocks/pcie_bridge.md#reads [G]")
              .range("4096B", "16MiB"));
}

struct ClusterParams {
  ClusterFabric fabric = ClusterFabric::rails;
  std::optional<std::uint32_t> racks;
  double oversubscription = 1;
  bool pxn = true;
  std::optional<std::uint32_t> nics;
  std::optional<Bandwidth> nic_rate;
  Bytes mtu = 4096_B;
  std::optional<Bytes> chunk;
  std::optional<std::uint32_t> between_window;
  std::uint32_t inside_lanes = 2;
  SwitchAdds adds = SwitchAdds::as_server;
  ClusterPcieParams pcie;
  Bytes flows_memory = 2048_MiB;
};
template <class V>
void visit(V& v, ClusterParams& p) {
  v.field("fabric", p.fabric,
          Note("network between the NICs: a switch for each rail; the same with spines; one for each rack, with spines; one "
               "for all")
              .source("docs/systems/cluster.md#fabric [G]"));
  v.field("racks", p.racks,
          Note("racks of servers, each with one leaf (leaf_spine)")
              .role(ParameterRole::structure)
              .source("docs/systems/cluster.md#fabric [G]")
              .range("1", "4096")
              .automatic("as few as leave at most 32 NICs at a leaf"));
  v.field("oversubscription", p.oversubscription,
          Note("NICs at a leaf over its spines, which are rounded up")
              .role(ParameterRole::structure)
              .source("docs/systems/cluster.md#fabric [G]")
              .range("0.015625", "64"));
  v.field("pxn", p.pxn,
          Note("data for another rail pass by NVLink to the GPU whose NIC is on that rail")
              .source("docs/systems/cluster.md#algorithms [G]"));
  v.field("nics", p.nics,
          Note("NICs of a server")
              .role(ParameterRole::structure)
              .source("docs/systems/cluster.md#servers")
              .range("1", "64")
              .automatic("those of the server"));
  v.field("nic_rate", p.nic_rate,
          Note("line rate of a NIC")
              .role(ParameterRole::rate)
              .source("docs/systems/cluster.md#servers")
              .range("100Mb/s", "1600Gb/s")
              .automatic("that of the server, else 100Gb/s"));
  v.field("mtu", p.mtu,
          Note("payload of a RoCE packet")
              .role(ParameterRole::shape)
              .source("docs/systems/cluster.md#fabric [G]")
              .range("256B", "4096B")
              .multiple_of("64B"));
  v.field("chunk", p.chunk,
          Note("bytes of a message that pass the stages of an algorithm as a unit")
              .role(ParameterRole::shape)
              .source("docs/systems/cluster.md#chunks [G]")
              .range("128B", "1GiB")
              .multiple_of("128B")
              .automatic("a 64th of the message, 256KiB to 4MiB; parts of rings of at least 32KiB"));
  v.field("between_window", p.between_window,
          Note("chunks that servers exchange at once")
              .role(ParameterRole::room)
              .source("docs/systems/cluster.md#chunks [G]")
              .range("1", "65536")
              .automatic("twice the lesser rate of NIC and PCIe times the round trip, at least 4"));
  v.field("inside_lanes", p.inside_lanes,
          Note("chunks in a ring of a server at once")
              .role(ParameterRole::room)
              .source("docs/systems/cluster.md#chunks [G]")
              .range("1", "64"));
  v.field("adds", p.adds,
          Note("NVSwitches add and multicast: as those of the server, or always, or never")
              .source("docs/systems/cluster.md#servers"));
  v.group("pcie", p.pcie);
  v.field("flows_memory", p.flows_memory,
          Note("memory of the simulating machine that flows may use")
              .role(ParameterRole::room)
              .source("docs/systems/cluster.md#limits [G]")
              .range("1MiB", "1TiB"));
}

}  // namespace tributary
