#pragma once
/// SwitchCore: the core of a switch of up to 64 ports.

#include <string>
#include <vector>

#include "modules/nvswitch/core/basic_switch_core.h"
#include "modules/switching/core/sized_core.h"

namespace tributary {

/// BasicSwitchCore, as wide as the ports need.
class SwitchCore {
 public:
  /// Throws std::invalid_argument on a configuration that no switch can have.
  SwitchCore(const SwitchConfig& config, Forwarding& forwarding, LinkOutput& wires,
             const std::vector<NvLinkTransmitter*>& transmitters)
      : core_(config.ports, config, forwarding, wires, transmitters) {}

  /// Packets are on their way over the link of `port`: shows them in that input's buffers from their heads on.
  void show_in_flight(unsigned port, Tick first, const LinkArrival* packets, unsigned count) {
    core_.with([&](auto& core) { core.show_in_flight(port, first, packets, count); });
  }
  /// One of them arrives; its reference comes with it. At the latest when it can matter, at `head` + latency.
  void accept(unsigned port, Packet* packet, Tick head, Tick tail) {
    core_.with([&](auto& core) { core.accept(port, packet, head, tail); });
  }
  /// The first of the credits of `port` is there at `first`.
  void credit(unsigned port, Tick first, const LinkCredit* credits, unsigned count) {
    core_.with([&](auto& core) { core.credit(port, first, credits, count); });
  }
  /// How far it can run at `now` when all packets are there that matter up to `packets`, and all credits of a port that come
  /// before `credits[port]`. Its crossbar may be ahead of its links: a queue only empties meanwhile, so room that is found
  /// there stays.
  Tick safe_horizon(Tick now, Tick packets, const Tick* credits) {
    return core_.with([&](auto& core) { return core.safe_horizon(now, packets, credits); });
  }
  /// Handles all events up to and including `horizon`, or up to where it is not yet known whether a queue has the room that
  /// a packet asks for; sends as far as decided (all, without windows). Returns the time of the next event.
  Tick run_until(Tick horizon) {
    return core_.with([&](auto& core) { return core.run_until(horizon); });
  }
  /// A whole window: before and after `take(core)`, in which the core accepts what has arrived, it fetches what waits there
  /// into the simulating machine's caches: first what is at the head of each queue, then these packets.
  template <class Take>
  Tick run_window(Tick horizon, Take&& take) {
    return core_.with([&](auto& core) {
      core.prefetch_heads();
      take(core);
      core.prefetch_packets();
      return core.run_until(horizon);
    });
  }
  /// All that it sends up to then has been sent.
  Tick sent_until() const {
    return core_.with([](const auto& core) { return core.sent_until(); });
  }

  /// Nothing queued, stalled or held anywhere.
  bool quiescent() const { return waiting().empty(); }
  /// One line for each thing that waits: block name relative to the switch, and what it waits for.
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
  SizedCore<BasicSwitchCore, 16, 64> core_;
};

}  // namespace tributary
