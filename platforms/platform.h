#pragma once
/// Platform: a simulated machine as a run sees it, whatever its devices are.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "modules/base/probe.h"
#include "modules/link/core/link_meter.h"
#include "modules/packet/packet.h"

namespace tributary {

/// One direction of a link.
struct DirectedLink {
  std::string name;  ///< `gpu3.port2>switch0_2.port3`
  LinkMeter* transmitter;
};

class Platform {
 public:
  virtual ~Platform() = default;

  /// Devices that take part in collectives.
  virtual unsigned endpoints() const = 0;
  /// Both directions of all links, in netlist order.
  virtual const std::vector<DirectedLink>& links() const = 0;
  virtual const PacketPool& packets() const = 0;
  /// Null without storage.
  virtual std::byte* memory_of(unsigned end) = 0;
  virtual void resize_memory(unsigned end, std::uint64_t bytes) = 0;
  /// Counts since the last reset, by name.
  virtual std::map<std::string, double> counters() const = 0;

  virtual std::uint64_t activations() const = 0;
  /// From when on, whatever the engine, no device wakes for what has been under way so far.
  virtual Tick quiet_from() const = 0;
  /// Everything that still waits, by hierarchical name; empty when the system is quiescent.
  virtual std::vector<std::string> waiting() const = 0;
  virtual void reset() = 0;
  /// The simulation may end at `when` (`never`: it ends of itself); no device runs ahead of that.
  virtual void stop_at(Tick when) = 0;
  /// After a reset: the measured time of a run begins at t0, and scripted times count from there.
  virtual void begin(Tick) {}
  virtual void describe(ProbeDirectory& directory) = 0;
};

}  // namespace tributary
