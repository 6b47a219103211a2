#pragma once
/// RouterCore: the core of a router with up to 64 links and interfaces.

#include <string>
#include <vector>

#include "modules/switching/core/basic_router_core.h"
#include "modules/switching/core/sized_core.h"

namespace tributary {

/// Selects the narrowest BasicRouterCore for the number of links and interfaces.
class RouterCore {
 public:
  /// Throws std::invalid_argument without inputs (links and interfaces), for more than max_router_inputs of them, and if
  /// the numbers of links, transmitters and names differ.
  RouterCore(const RouterConfig& config, RouterListener& listener, LinkOutput& wires,
             const std::vector<RouterTransmitter*>& transmitters)
      : core_(config.ports + config.interfaces, config, listener, wires, transmitters) {}

  /// Calls f(core), to make several calls on the core.
  template <class F>
  decltype(auto) with(F&& f) {
    return core_.with(f);
  }
  /// Accepts a packet from a link and its reference. Call no later than `head` + latency.
  void accept(unsigned port, Packet* packet, Tick head, Tick tail) {
    core_.with([&](auto& core) { core.accept(port, packet, head, tail); });
  }
  /// Accepts a packet of the NIC whose data are complete at `ready`.
  void inject(unsigned interface, Packet* packet, Tick ready) {
    core_.with([&](auto& core) { core.inject(interface, packet, ready); });
  }
  /// Accepts a packet of the NIC that keeps its place in the queue until make_ready().
  void hold(unsigned interface, Packet* packet) {
    core_.with([&](auto& core) { core.hold(interface, packet); });
  }
  /// The data of a packet that is held are complete at `ready`, which has not passed.
  void make_ready(unsigned interface, const Packet* packet, Tick ready) {
    core_.with([&](auto& core) { core.make_ready(interface, packet, ready); });
  }
  /// Credits of a port have arrived, the first of them at `first`.
  void credit(unsigned port, Tick first, const LinkCredit* credits, unsigned count) {
    core_.with([&](auto& core) { core.credit(port, first, credits, count); });
  }
  /// Returns how far the core can run at `now`, as SwitchCore::safe_horizon().
  Tick safe_horizon(Tick now, Tick packets, const Tick* credits) {
    return core_.with([&](auto& core) { return core.safe_horizon(now, packets, credits); });
  }
  /// Stops or resumes ejection to the NIC at `now`. Packets wait at their inputs; those that are crossing are delivered.
  void stall_ejection(bool stalled, Tick now) {
    core_.with([&](auto& core) { core.stall_ejection(stalled, now); });
  }
  Tick next() const {
    return core_.with([](const auto& core) { return core.next(); });
  }
  /// Handles all events at `now`, the time of the next event.
  void handle(Tick now) {
    core_.with([&](auto& core) { core.handle(now); });
  }
  /// Call when all events up to `horizon` are handled: sends as far as decided. Returns the time of the next event.
  Tick finish(Tick horizon) {
    return core_.with([&](auto& core) { return core.finish(horizon); });
  }
  Tick sent_until() const {
    return core_.with([](const auto& core) { return core.sent_until(); });
  }

  /// Returns the flits that have crossed the crossbar since the last reset; each has been in an input buffer.
  std::uint64_t crossed_flits() const {
    return core_.with([](const auto& core) { return core.crossed_flits(); });
  }

  std::vector<std::string> waiting() const {
    return core_.with([](const auto& core) { return core.waiting(); });
  }
  void reset() {
    core_.with([](auto& core) { core.reset(); });
  }
  void describe(ProbeDirectory& directory, const std::string& name) {
    core_.with([&](auto& core) { core.describe(directory, name); });
  }

 private:
  SizedCore<BasicRouterCore, 16, 64> core_;
};

}  // namespace tributary
