#pragma once
/// RingManager: job initialisation (Liu et al., 3.1): rings, ranks, queue pairs, and the resulting table contents of
/// switches and accelerators.

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
  unsigned from_pair = 0, to_pair = 0;  ///< queue pair at each end, as its host numbers it
  std::uint32_t psn = 0;                ///< PSN of its first packet
  std::uint32_t answer_psn = 0;         ///< PSN of the first packet in the other direction
  std::uint16_t udp_port = 0;           ///< source port
};

/// Holds the rings of a machine and has no other effect: the platform configures its devices from it.
class RingManager {
 public:
  /// Rules of the accelerators that determine the rings.
  struct Format {
    unsigned window = 2, message_packets = 170, mtu = 1024, ack_interval = 256;
    std::optional<std::uint32_t> first_psn = {};  ///< initial PSN of all connections; empty: random
  };
  RingManager(const topology::Racks& racks, const Format& format, std::uint64_t seed)
      : racks_(racks), format_(format), seed_(seed) {}

  /// Number in frames of queue pair `pair` of a host: 0 and 1 are reserved for the management of the NIC.
  static constexpr std::uint32_t pair_number(unsigned pair) { return pair + 2; }
  /// First UDP source port: the ephemeral ports (RFC 6335).
  static constexpr std::uint16_t first_udp_port = 0xC000;
  /// Creates a connection between the next free queue pairs of both hosts.
  HostConnection connect(int from, int to);
  /// Adds a ring over these hosts, in this order, with sums of this type. `pattern`: of other collectives than an
  /// all-reduce. Returns its number. Throws std::invalid_argument if it contains a host twice, or if there are too many
  /// rings.
  std::uint16_t add_ring(const std::vector<int>& hosts, ElementType type, ReduceOp op, const RingPattern& pattern = {});
  /// Connection r leads from rank r to rank r + 1.
  const std::vector<HostConnection>& connections(std::uint16_t ring) const { return rings_.at(ring).connections; }
  const std::vector<int>& hosts(std::uint16_t ring) const { return rings_.at(ring).hosts; }
  ElementType type(std::uint16_t ring) const { return rings_.at(ring).type; }
  bool empty() const { return rings_.empty(); }
  /// Numbers of all rings, in ascending order.
  std::vector<std::uint16_t> numbers() const;

  /// Configurations of the accelerator of a rack, or of a spine, for all rings that use it, in order of their numbers.
  std::vector<AggregationRing> rings_of_leaf(int rack) const;
  std::vector<AggregationRing> rings_of_spine(int spine) const;
  /// A connection whose packets the switch of a rack redirects to the accelerator by `port`: it begins at a host of the
  /// rack, or ends at one and begins in another rack (then only notifications pass). Connections between the same hosts
  /// share one entry, unless it is `of_pairs`. `answers`: answers within the rack are redirected, too.
  struct Detour {
    HostConnection connection;
    unsigned port = 0;
  };
  std::vector<Detour> detours(int rack, bool of_pairs = false, bool answers = false) const;

  void clear();
  /// Sets the seed of the PSNs of future connections.
  void reseed(std::uint64_t seed) { seed_ = seed; }

 private:
  struct Ring {
    std::vector<int> hosts;
    std::vector<HostConnection> connections;
    ElementType type;
    ReduceOp op;
    RingPattern pattern;
    int spine = 0;
  };
  AggregationRing base(std::uint16_t number, const Ring& ring) const;
  std::vector<int> racks_of(const Ring& ring) const;
  void add_leaves(AggregationRing& a, const Ring& ring, const std::vector<int>& racks) const;
  unsigned accelerator_port(int host) const { return static_cast<unsigned>(host % racks_.hosts % racks_.accelerator_ports); }
  unsigned uplink() const { return static_cast<unsigned>(racks_.accelerator_ports) - 1; }

  const topology::Racks& racks_;
  Format format_;
  std::uint64_t seed_;
  std::map<std::uint16_t, Ring> rings_;
  std::map<int, unsigned> pairs_;  // by host: number of queue pairs
};

}  // namespace tributary
