#pragma once
/// RingManager: job initialisation (Liu et al., 4.1): rings, ranks, queue pairs, and what the tables of switches and
/// accelerators hold of them.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "modules/netreduce/core/aggregation_ring.h"
#include "platforms/topology/racks.h"

namespace tributary {

/// A reliable connection from one host to another.
struct HostConnection {
  int from = 0, to = 0;                 ///< hosts
  unsigned from_pair = 0, to_pair = 0;  ///< queue pairs at either end, as the host counts them
  std::uint32_t psn = 0;                ///< of its first packet
  std::uint32_t answer_psn = 0;         ///< of what the other end would send
  std::uint16_t udp_port = 0;           ///< of the source
};

/// Rings of hosts on one machine, and nothing else: the platform tells its devices of them.
class RingManager {
 public:
  /// Rules of the accelerators that rings need.
  struct Format {
    unsigned window = 2, message_packets = 170, mtu = 1024;
    std::optional<std::uint32_t> first_psn = {};  ///< of all connections; without one they begin anywhere
  };
  RingManager(const topology::Racks& racks, const Format& format, std::uint64_t seed)
      : racks_(racks), format_(format), seed_(seed) {}

  /// What frames call the queue pair that a host counts as `pair`: 0 and 1 are those of a NIC's management.
  static constexpr std::uint32_t pair_number(unsigned pair) { return pair + 2; }
  /// Source ports of UDP begin there: the ephemeral ones (RFC 6335).
  static constexpr std::uint16_t first_udp_port = 0xC000;
  /// A queue pair at each end, the next ones there.
  HostConnection connect(int from, int to);
  /// A ring over these hosts in this order, whose sums have that type. Returns its number. Throws std::invalid_argument on a
  /// host that is there twice, and when all numbers are taken.
  std::uint16_t add_ring(const std::vector<int>& hosts, ElementType type, ReduceOp op);
  /// Connection r leads from rank r to rank r + 1.
  const std::vector<HostConnection>& connections(std::uint16_t ring) const { return rings_.at(ring).connections; }
  const std::vector<int>& hosts(std::uint16_t ring) const { return rings_.at(ring).hosts; }
  ElementType type(std::uint16_t ring) const { return rings_.at(ring).type; }
  bool empty() const { return rings_.empty(); }
  /// Of all rings, in ascending order.
  std::vector<std::uint16_t> numbers() const;

  /// What the accelerator of a rack, or of the spine that a ring uses, has to know; by rings.
  std::vector<AggregationRing> rings_of_leaf(int rack) const;
  std::vector<AggregationRing> rings_of_spine(int spine) const;
  /// Connections whose packets make the detour by the accelerator of that rack: they begin at a host of it, or end at one
  /// and come from another rack (then notifications alone come by). The switch sends them there by `port`. One for all
  /// connections between the same hosts.
  struct Detour {
    HostConnection connection;
    unsigned port = 0;
  };
  std::vector<Detour> detours(int rack) const;

  void clear();
  /// PSNs of the connections to come.
  void reseed(std::uint64_t seed) { seed_ = seed; }

 private:
  struct Ring {
    std::vector<int> hosts;
    std::vector<HostConnection> connections;
    ElementType type;
    ReduceOp op;
    int spine = 0;
  };
  AggregationRing base(std::uint16_t number, const Ring& ring) const;
  std::vector<int> racks_of(const Ring& ring) const;
  unsigned accelerator_port(int host) const { return static_cast<unsigned>(host % racks_.hosts % racks_.accelerator_ports); }
  unsigned uplink() const { return static_cast<unsigned>(racks_.accelerator_ports) - 1; }

  const topology::Racks& racks_;
  Format format_;
  std::uint64_t seed_;
  std::map<std::uint16_t, Ring> rings_;
  std::map<int, unsigned> pairs_;  // by host: queue pairs so far
};

}  // namespace tributary
