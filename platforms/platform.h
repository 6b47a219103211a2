#pragma once
/// Platform: a simulated machine, and the base of all netlists: devices, wired from a graph.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/host/arena.h"
#include "modules/base/probe.h"
#include "modules/timing/network_device.h"
#include "modules/link/core/directed_link.h"
#include "modules/packet/packet.h"
#include "platforms/topology/graph.h"

namespace tributary {

/// A platform makes a device for each node of its graph, calls wire(), and says what it has of endpoints.
class Platform : public sc_core::sc_module {
 public:
  /// What the windows of all devices follow from: see Windows::of. Picoseconds.
  struct Timing {
    Tick lookahead = 0;  ///< the smallest time in which one device can affect another
    Tick delay = 0;
    Tick host_latency = 0;
  };

  const topology::Graph& graph() const { return graph_; }
  /// Both directions of all links, in netlist order.
  const std::vector<DirectedLink>& links() const { return links_; }
  const PacketPool& packets() const { return pool_; }
  Tick lookahead() const { return timing_.lookahead; }

  /// Devices that take part in collectives.
  virtual unsigned endpoints() const = 0;
  /// Null without storage.
  virtual std::byte* memory_of(unsigned endpoint) = 0;
  virtual void resize_memory(unsigned endpoint, std::uint64_t bytes) = 0;
  /// Counts since the last reset, by name.
  virtual std::map<std::string, double> counters() const = 0;

  /// Longest simulated time in which nothing need be delivered, merged or completed anywhere while a collective still goes
  /// on, of which no endpoint holds more than `bytes`: latencies of the longest path, and what the slowest service takes,
  /// but not the timers of timers_end().
  virtual Tick longest_silence(std::uint64_t bytes) const = 0;
  /// When the last of the timers ends that run now and move something that waits; 0: none runs.
  virtual Tick timers_end() const { return 0; }

  std::uint64_t activations() const;
  /// From when on, whatever the engine, no device wakes for what has been under way so far.
  Tick quiet_from() const;
  /// Everything that still waits, by hierarchical name, in switches first, where causes lie; empty when all is quiescent.
  std::vector<std::string> waiting() const;
  virtual void reset();
  /// The simulation may end at `when` (`never`: it ends of itself); no device runs ahead of that.
  void stop_at(Tick when);
  /// After a reset: the measured time of a run begins at t0, and scripted times count from there.
  void begin(Tick t0);
  void describe(ProbeDirectory& directory);

 protected:
  /// `framing`: of the packets of its protocol.
  Platform(const sc_core::sc_module_name& name, topology::Graph graph, const Timing& timing, const PacketFraming& framing);

  PacketPool& pool() { return pool_; }
  const Arena& arena() const { return arena_; }
  /// The device of a node, named as the node is. The platform's destructor resets it while what it refers to stands.
  template <class D, class... Arguments>
  D& add_device_of(int node, Arguments&&... arguments) {
    auto device = std::make_unique<D>(graph_.node(node).name.c_str(), std::forward<Arguments>(arguments)...);
    D& made = *device;
    const auto place = static_cast<std::size_t>(node);
    if (devices_.size() <= place) devices_.resize(place + 1);
    devices_[place] = std::move(device);
    return made;
  }
  /// The same of the next node, where they come in their order.
  template <class D, class... Arguments>
  D& add_device(Arguments&&... arguments) {
    return add_device_of<D>(static_cast<int>(devices_.size()), std::forward<Arguments>(arguments)...);
  }
  /// Port of a node's device that stands for one of the graph.
  virtual unsigned device_port(topology::PortRef port) const { return static_cast<unsigned>(port.port); }
  /// Picoseconds, at most 10^18 (11 days): a sum of long times need not fit into a Tick.
  static Tick clamped(double picoseconds) { return static_cast<Tick>(std::min(picoseconds, 1e18)); }
  static double service_time(double bytes, Bandwidth rate) { return bytes / static_cast<double>(rate.value) * 1e12; }
  /// Joins the devices, of which each node has one by now. `windowed`: else reference mode, one wake-up per event time.
  void wire(bool windowed);

 private:
  LinkEnd link_end(topology::PortRef port);
  Windows windows(WakeOrder order) const;

  topology::Graph graph_;
  Timing timing_;
  PacketPool pool_;
  Arena arena_;
  std::vector<std::unique_ptr<NetworkDevice>> devices_;  ///< by node
  std::vector<DirectedLink> links_;
};

}  // namespace tributary
