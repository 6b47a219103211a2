#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "modules/link/core/link_meter.h"

namespace tributary {

/// Traffic of every directed link since the last reset, in the order in which links are added (netlist order), from the
/// port counters of their transmitters.
class LinkUsage {
 public:
  struct Link {
    std::string name;  ///< `gpu3.port2>switch0_2.port3`
    Bandwidth rate;
    const LinkMeter::Traffic* counters = nullptr;
    LinkMeter::Traffic before;  ///< at the last reset

    std::uint64_t packets() const { return counters->packets - before.packets; }
    std::uint64_t bytes() const { return counters->bytes - before.bytes; }
    /// When the last packet has left at the link's rate; one that is cut through from a slower source ends later.
    Tick last_end() const;
    /// Share of what the link could carry in `time`.
    double utilisation(Tick time) const;
  };

  /// The counters must outlive this. Returns the link's index.
  std::size_t add(const LinkMeter::Traffic& counters, std::string name, Bandwidth rate);

  const std::vector<Link>& links() const { return links_; }
  std::uint64_t total_bytes() const;
  /// Packets over all links: the packet-hops.
  std::uint64_t total_packets() const;
  /// The link that has carried the most bytes for its rate, the first of several; null without links.
  const Link* busiest() const;
  void reset();

 private:
  std::vector<Link> links_;
};

}  // namespace tributary
