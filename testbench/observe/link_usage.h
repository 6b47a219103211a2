#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "modules/link/packet.h"

namespace tributary {

/// Traffic of every directed link, in the order in which links are added (netlist order). Must outlive the probes' last
/// firing.
class LinkUsage {
 public:
  struct Link {
    std::string name;  ///< `gpu3.port2>switch0_2.port3`
    Bandwidth rate;
    std::uint64_t flits = 0;
    std::uint64_t packets = 0;
    Tick last_start = 0;  ///< start of serialisation of the last packet
    std::uint8_t last_flits = 0;

    std::uint64_t bytes() const { return flits * flit_bytes; }
    /// When the last packet has left at the link's rate; one that is cut through from a slower source ends later.
    Tick last_end() const;
    /// Share of what the link could carry in `time`.
    double utilisation(Tick time) const;
  };

  LinkUsage() = default;
  LinkUsage(const LinkUsage&) = delete;
  LinkUsage& operator=(const LinkUsage&) = delete;

  /// `sent` fires at the start of serialisation of each packet. Returns the link's index.
  std::size_t add(PacketProbe& sent, std::string name, Bandwidth rate);

  const std::deque<Link>& links() const { return links_; }
  std::uint64_t total_bytes() const;
  /// Packets over all links: the packet-hops.
  std::uint64_t total_packets() const;
  /// The link that has carried the most bytes for its rate, the first of several; null without links.
  const Link* busiest() const;
  void reset();

 private:
  std::deque<Link> links_;  // stable addresses: the probes keep them
};

}  // namespace tributary
