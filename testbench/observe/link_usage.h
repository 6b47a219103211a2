#pragma once
/// LinkUsage: traffic and utilisation of every directed link.

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "modules/base/host/byte_stream.h"
#include "modules/link/core/link_meter.h"

namespace tributary {

/// Counts from the last reset, from the port counters of the transmitters. Links are in the order in which they are
/// added (netlist order).
class LinkUsage {
 public:
  struct Link {
    std::string name;  ///< `gpu3.port2>switch0_2.port3`
    Bandwidth rate;
    const LinkMeter::Traffic* counters = nullptr;
    LinkMeter::Traffic before;                ///< counters at the last reset
    const LinkMeter::Traffic* own = nullptr;  ///< counters of this process

    std::uint64_t packets() const { return counters->packets - before.packets; }
    std::uint64_t bytes() const { return counters->bytes - before.bytes; }
    /// Returns the end of the last packet at the link's rate; a packet cut through from a slower source ends later.
    Tick last_end() const;
    /// Returns the traffic as a fraction of the link's capacity in `time`.
    double utilisation(Tick time) const;
  };

  /// Adds a link and returns its index. The counters must outlive this object.
  std::size_t add(const LinkMeter::Traffic& counters, std::string name, Bandwidth rate);

  const std::vector<Link>& links() const { return links_; }
  std::uint64_t total_bytes() const;
  /// Returns the packets over all links, i.e. the packet-hops.
  std::uint64_t total_packets() const;
  /// Returns the link with the most bytes relative to its rate, the first of several; null without links.
  const Link* busiest() const;
  void reset();
  /// Writes the traffic since the last reset.
  void pack(ByteWriter& to) const;
  /// Adds the traffic that pack() has written in another process, until the next reset. A link carries packets in one
  /// process alone.
  void add(ByteReader& from);

 private:
  std::vector<Link> links_;
  std::deque<LinkMeter::Traffic> elsewhere_;  // counters of links of other processes, as if they were here
};

}  // namespace tributary
