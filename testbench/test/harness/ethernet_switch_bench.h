#pragma once
/// EthernetSwitchBench: the core of an Ethernet switch with a station at each port, without SystemC.

#include <memory>
#include <vector>

#include "modules/ethernet_switch/core/ethernet_switch_core.h"

namespace tributary {

/// Station i has number i and is at port i. All links are alike except for their rates. Stations react to pauses.
class EthernetSwitchBench : private LinkOutput, private AccessControl {
 public:
  struct Delivered {
    unsigned port;
    Tick head, tail;
    std::uint64_t id;
    RoceHeader header;
    std::uint8_t damage;
    bool operator==(const Delivered& o) const {
      return port == o.port && head == o.head && tail == o.tail && id == o.id && header.ecn == o.header.ecn;
    }
  };
  static constexpr Tick link_latency = 10'000, reaction = 500'000;

  /// Returns a switch with `ports` ports of 100 Gb/s and routes to all stations.
  static EthernetSwitchConfig plain(unsigned ports);
  explicit EthernetSwitchBench(const EthernetSwitchConfig& config);

  /// Sends a frame from the station at `from`, which may start it from `ready` on; calls must be in order of time. A
  /// payload of 1024 B makes a middle packet of a WRITE of 1110 B, a payload of 0 an ACK of 86 B.
  Packet* send(unsigned from, unsigned to, std::uint64_t id, Tick ready, unsigned traffic_class = roce_class,
               unsigned payload = 1024);
  /// Runs until `until` in steps of `step` of simulated time, at most the reaction time.
  void run(Tick until, Tick step = 100'000);
  /// Returns the frames delivered at one port.
  std::vector<Delivered> at(unsigned port) const;

  PacketPool pool{EthernetLink{}};
  AccessListTable access;
  Tick access_time = 0;
  std::vector<Delivered> delivered;
  std::vector<Delivered> pauses;
  std::vector<std::unique_ptr<EthernetLinks::Transmitter>> stations, outputs;
  std::unique_ptr<EthernetLinks> links;
  std::unique_ptr<EthernetSwitchCore> core;

 private:
  void deliver(unsigned port, Tick first, const LinkArrival* packets, unsigned count, Tick safe_until) override;
  void return_credits(unsigned, Tick, const LinkCredit*, unsigned, Tick) override {}
  Tick classify(AccessTransaction& t) override;

  Tick now_ = 0;
};

}  // namespace tributary
