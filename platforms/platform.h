#pragma once
/// Platform: a simulated machine, wired from a graph; the base class of all netlists.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/host/arena.h"
#include "modules/base/probe.h"
#include "modules/link/core/directed_link.h"
#include "modules/timing/lane_clock.h"
#include "modules/timing/lane_processes.h"
#include "modules/timing/network_device.h"
#include "platforms/kernel_time.h"
#include "platforms/part.h"
#include "platforms/topology/graph.h"
#include "platforms/topology/lane_plan.h"

namespace tributary {

class PartDevices;

/// Counts of several processes: their sum, the largest or least of them, or one of them, because all count alike.
enum class CounterUnion { sum, most, least, any };

/// A derived platform makes one device per node of its graph, calls wire(), and implements the queries of its
/// endpoints. Its devices belong to one part, or to several with protocols, packets and windows of their own.
class Platform : public sc_core::sc_module {
 public:
  using Timing = PartTiming;

  const topology::Graph& graph() const { return graph_; }
  /// Returns both directions of all links, in netlist order.
  const std::vector<DirectedLink>& links() const { return links_; }
  /// Returns the packets in use, in all parts; 0 when the platform is quiescent.
  std::uint64_t live_packets() const;
  /// Returns the shortest lookahead of the parts.
  Tick lookahead() const;

  /// Returns the number of devices that take part in collectives.
  virtual unsigned endpoints() const = 0;
  /// Returns the endpoint's memory, or null if it is not stored.
  virtual std::byte* memory_of(unsigned endpoint) = 0;
  virtual void resize_memory(unsigned endpoint, std::uint64_t bytes) = 0;
  /// Returns the counts since the last reset, by name.
  virtual std::map<std::string, double> counters() const = 0;
  /// Returns how the counts of several processes combine. A device that runs in another process counts nothing.
  virtual CounterUnion union_of(const std::string& /*counter*/) const { return CounterUnion::sum; }

  /// Returns the longest simulated time for which nothing may be delivered, merged or completed while a collective of
  /// at most `bytes` per endpoint is running: the latencies of the longest path plus the longest service time. The
  /// timers of timers_end() are not included.
  virtual Tick longest_silence(std::uint64_t bytes) const = 0;
  /// Returns the expiry time of the last running timer that can move a waiting packet or command; 0 if none is running.
  virtual Tick timers_end() const { return 0; }

  std::uint64_t activations() const;
  /// Returns the time from which no device wakes for traffic already in flight, in either mode.
  Tick quiet_from() const;
  /// Returns everything that is still waiting, by hierarchical name. Switches come first, as causes are usually found
  /// there. Empty when all devices are quiescent.
  std::vector<std::string> waiting() const;
  /// Returns the lines of waiting() of the devices of this process, with numbers that order the lines of all processes.
  std::vector<std::pair<std::uint64_t, std::string>> waiting_here() const;
  virtual void reset();
  /// Sets the end of the simulation (`never`: it ends by itself). No device runs ahead of this time.
  void stop_at(Tick when);
  /// Keeps a device in kernel time, as a part does that needs it. Call before the simulation starts. Throws
  /// std::invalid_argument if no device has the name.
  void use_kernel_time(const std::string& device);
  /// Returns the devices in kernel time, in the order of the graph; empty before the simulation starts.
  const std::vector<DeviceInKernelTime>& in_kernel_time() const { return in_kernel_time_; }
  /// Starts the measured time of a run at t0, after a reset. Scripted times count from t0.
  void begin(Tick t0);
  void describe(ProbeDirectory& directory);
  unsigned lanes() const { return plan_.count; }
  /// Null with one lane.
  const Lanes* running_lanes() const { return clock_ ? &clock_->lanes() : nullptr; }
  Lanes* running_lanes() { return clock_ ? &clock_->lanes() : nullptr; }
  /// No device runs in a lane after a call of between_steps(), until that has been made.
  void keep_step();
  /// Runs in this process only its share of the lanes. Call before the simulation starts. Throws std::logic_error if the
  /// platform has one lane. The group and the relay must outlive the platform.
  void distribute(ProcessGroup& group, CompletionRelay& relay);
  /// Returns true if the device of a node, or of an endpoint, runs in this process.
  bool owns_node(int node) const { return !processes_ || processes_->owns(lane(node)); }
  bool owns(unsigned endpoint) const { return owns_node(node_of(endpoint)); }
  /// Schedules the next wake-ups after endpoints have got their work, if other processes run some of them. All processes
  /// make this call.
  void agree() {
    if (processes_) clock_->agree();
  }
  /// Calls a function when no device runs, on the kernel's thread. May be called from a running device. The function may
  /// affect devices if the lanes keep step.
  void between_steps(std::function<void()> call);
  /// Returns the time of `bytes` at that rate, in picoseconds.
  static double service_time(double bytes, Bandwidth rate) { return bytes / static_cast<double>(rate.value) * 1e12; }

 protected:
  /// A platform of one part. `framing`: packet framing of its protocol.
  /// `plan`: lane of each node.
  Platform(const sc_core::sc_module_name& name, topology::Graph graph, const Timing& timing, const PacketFraming& framing,
           topology::LanePlan plan = {});
  /// A platform without parts; see add_part().
  Platform(const sc_core::sc_module_name& name, topology::Graph graph, topology::LanePlan plan = {});

  /// Adds a part without devices. The reference stays valid.
  PlatformPart& add_part(const Timing& timing, const PacketFraming& framing);
  PartDevices devices_of(PlatformPart& part);
  /// Returns the only part of a platform.
  PlatformPart& part() { return *parts_.front(); }
  unsigned lane(int node) const { return plan_.lane(node); }
  /// Return the packets of the only part, and the storage, on a platform of one lane.
  PacketPool& pool() { return part().pools.front(); }
  const Arena& arena() const { return arenas_.front(); }
  /// Return the packets of the only part, and the storage, for the device of a node.
  PacketPool& pool(int node) { return part().pools[lane(node)]; }
  const Arena& arena(int node) const { return arenas_[lane(node)]; }
  /// Makes the device of a node in a part and gives it the node's name. The derived platform's destructor must reset it
  /// while the objects that it refers to still exist.
  template <class D, class... Arguments>
  D& add_device_of(PlatformPart& part, int node, Arguments&&... arguments) {
    auto device = std::make_unique<D>(graph_.node(node).name.c_str(), std::forward<Arguments>(arguments)...);
    D& made = *device;
    const auto place = static_cast<std::size_t>(node);
    if (clock_) static_cast<NetworkDevice&>(made).set_lane(clock_->lanes().lane(lane(node)), static_cast<unsigned>(node));
    if (devices_.size() <= place) devices_.resize(place + 1);
    devices_[place] = std::move(device);
    part.nodes.push_back(node);
    return made;
  }
  /// Makes the device of a node in the only part.
  template <class D, class... Arguments>
  D& add_device_of(int node, Arguments&&... arguments) {
    return add_device_of<D>(part(), node, std::forward<Arguments>(arguments)...);
  }
  /// Makes the device of the next node, when devices are made in node order.
  template <class D, class... Arguments>
  D& add_device(Arguments&&... arguments) {
    return add_device_of<D>(static_cast<int>(devices_.size()), std::forward<Arguments>(arguments)...);
  }
  /// Returns the node of an endpoint.
  virtual int node_of(unsigned endpoint) const { return graph_.endpoints().at(endpoint); }
  /// Maps a port of the graph to a port of the node's device.
  virtual unsigned device_port(topology::PortRef port) const { return static_cast<unsigned>(port.port); }
  /// Converts picoseconds to a Tick, capped at 10^18 (11 days), as a sum of long times may not fit into a Tick.
  static Tick clamped(double picoseconds) { return static_cast<Tick>(std::min(picoseconds, 1e18)); }
  /// Connects the devices; every node must have one. `windowed`: false selects reference mode, with one wake-up per
  /// event time. Throws TopologyError for a link between ports of unlike protocols, and for one between two parts that is
  /// shorter than a lookahead of theirs.
  void wire(bool windowed);
  /// Returns the data that packets of a lane view; null if packets carry their data.
  virtual PayloadViews* views(unsigned /*lane*/) { return nullptr; }

 private:
  friend class PartDevices;
  LinkEnd link_end(topology::PortRef port);
  void check_link(const topology::Link& link, const LinkEnd& a, const LinkEnd& b) const;
  void cross_lanes(topology::PortRef port, int to, const LinkEnd& end);
  PacketPool& pool_of(int from, ProtocolId protocol, unsigned lane) const;
  PlatformPart* part_of(int node) const;
  void prepare_lanes();
  void start_of_simulation() override;

  topology::Graph graph_;
  topology::LanePlan plan_;
  std::unique_ptr<LaneClock> clock_;  ///< null: one lane
  std::vector<std::unique_ptr<PlatformPart>> parts_;
  std::vector<PlatformPart*> part_of_;                   ///< by node, once wired
  std::vector<Arena> arenas_;                            ///< by lane
  std::deque<LaneCrossing> crossings_;                   ///< stable addresses, as the ports keep pointers to them
  std::vector<std::unique_ptr<NetworkDevice>> devices_;  ///< by node
  std::vector<DirectedLink> links_;
  std::unique_ptr<LaneProcesses> processes_;  ///< null: all lanes run in this process
  std::vector<std::size_t> kept_;             // nodes that use_kernel_time() has named
  std::vector<DeviceInKernelTime> in_kernel_time_;
};

/// Makes devices of one part of a platform, for classes that know a family and are no platforms (NvSwitchPart,
/// EthernetPart).
class PartDevices {
 public:
  const topology::Graph& graph() const { return platform_.graph(); }
  const std::vector<DirectedLink>& links() const { return platform_.links(); }
  /// Return the packets and the storage for the device of a node.
  PacketPool& pool(int node) const { return part_.pools[platform_.lane(node)]; }
  const Arena& arena(int node) const { return platform_.arena(node); }
  /// Makes the device of a node of the graph.
  template <class D, class... Arguments>
  D& add(int node, Arguments&&... arguments) const {
    return platform_.add_device_of<D>(part_, node, std::forward<Arguments>(arguments)...);
  }

 private:
  friend class Platform;
  PartDevices(Platform& platform, PlatformPart& part) : platform_(platform), part_(part) {}
  Platform& platform_;
  PlatformPart& part_;
};

inline PartDevices Platform::devices_of(PlatformPart& part) { return {*this, part}; }

}  // namespace tributary
