#pragma once
/// SwitchCore: the core of a switch of up to 128 ports.

#include <memory>
#include <string>
#include <vector>

#include "modules/nvswitch/core/basic_switch_core.h"
#include "modules/switching/core/sized_core.h"

namespace tributary {

/// Selects the narrowest BasicSwitchCore for the number of ports, with the immediate round robin of the crossbar, or with
/// the arbiter of a user or arbitration that takes time.
class SwitchCore {
  template <unsigned ports>
  using Core = BasicSwitchCore<ports, false>;
  template <unsigned ports>
  using ArbitratedCore = BasicSwitchCore<ports, true>;
  using Cores = SizedCore<Core, 16, 64, 128>;
  using ArbitratedCores = SizedCore<ArbitratedCore, 16, 64, 128>;
  static bool has_own_arbitration(const SwitchConfig& config) {
    return config.arbiter != nullptr || config.arbitration != 0;
  }
  template <class F>
  decltype(auto) with(F&& f) const {
    if (__builtin_expect(core_ != nullptr, 1)) return core_->with(f);
    return arbitrated_->with(f);
  }

 public:
  /// Throws std::invalid_argument for an illegal configuration.
  SwitchCore(const SwitchConfig& config, Forwarding& forwarding, LinkOutput& wires,
             const std::vector<NvLinkTransmitter*>& transmitters)
      : core_(has_own_arbitration(config) ? nullptr
                                          : std::make_unique<Cores>(config.ports, config, forwarding, wires, transmitters)),
        arbitrated_(has_own_arbitration(config)
                        ? std::make_unique<ArbitratedCores>(config.ports, config, forwarding, wires, transmitters)
                        : nullptr) {}

  /// Shows packets in flight on the link of `port` in that input's buffers from the arrival of their heads on.
  void show_in_flight(unsigned port, Tick first, const LinkArrival* packets, unsigned count) {
    with([&](auto& core) { core.show_in_flight(port, first, packets, count); });
  }
  /// Accepts one of them and its reference. Call no later than `head` + latency, when it can have an effect.
  void accept(unsigned port, Packet* packet, Tick head, Tick tail) {
    with([&](auto& core) { core.accept(port, packet, head, tail); });
  }
  /// Credits of `port` have arrived, the first of them at `first`.
  void credit(unsigned port, Tick first, const LinkCredit* credits, unsigned count) {
    with([&](auto& core) { core.credit(port, first, credits, count); });
  }
  /// Returns how far the core can run at `now`, if all packets that have an effect up to `packets` are known, and all
  /// credits of a port that arrive before `credits[port]`. Its crossbar may be ahead of its links: a queue only drains
  /// meanwhile, so room found there remains.
  Tick safe_horizon(Tick now, Tick packets, const Tick* credits) {
    return with([&](auto& core) { return core.safe_horizon(now, packets, credits); });
  }
  /// Handles all events up to and including `horizon`, or up to the time at which it is unknown whether a queue has room
  /// for a packet; sends as far as decided (everything, without windows). Returns the time of the next event.
  Tick run_until(Tick horizon) {
    return with([&](auto& core) { return core.run_until(horizon); });
  }
  /// Runs a whole window. Before and after `take(core)`, in which the core accepts arrivals, it prefetches waiting packets
  /// into the host's caches: first the heads of the queues, then the packets themselves.
  template <class Take>
  Tick run_window(Tick horizon, Take&& take) {
    return with([&](auto& core) {
      core.prefetch_heads();
      take(core);
      core.prefetch_packets();
      return core.run_until(horizon);
    });
  }
  /// Returns the time up to which all its packets have been sent.
  Tick sent_until() const {
    return with([](const auto& core) { return core.sent_until(); });
  }

  /// Returns the flits that have crossed the crossbar since the last reset: each copy of a multicast, and what enters an
  /// egress stage or is dropped there.
  std::uint64_t crossed_flits() const {
    return with([](const auto& core) { return core.crossed_flits(); });
  }

  /// Other devices of the arena may run while the core runs: tables or an arbiter wait in their calls.
  void keep_apart() {
    with([](auto& core) { core.keep_apart(); });
  }

  /// Returns true if nothing is queued, stalled or held anywhere.
  bool quiescent() const { return waiting().empty(); }
  /// Returns a line for each waiting part: block name relative to the switch, and the cause.
  std::vector<std::string> waiting() const {
    return with([](const auto& core) { return core.waiting(); });
  }
  void reset() {
    with([](auto& core) { core.reset(); });
  }
  void describe(ProbeDirectory& directory, const std::string& name) {
    with([&](auto& core) { core.describe(directory, name); });
  }

 private:
  std::unique_ptr<Cores> core_;
  std::unique_ptr<ArbitratedCores> arbitrated_;  // if the user has an arbiter
};

}  // namespace tributary
