#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "modules/nvswitch/core/switch_core.h"
#include "testbench/harness/packet_source.h"

namespace tributary {

/// Header of the packets of a SwitchBench: the outputs that the packet requests.
struct TestHeader {
  std::uint32_t outputs = 0;
  std::uint32_t id = 0;  ///< number of the packet in the bench
  std::uint16_t source = 0;
  Exit exit = Exit::link;
  bool needs_entry = false;
};

/// Forwards as the header requests; tests replace the other functions.
class ScriptedForwarding : public Forwarding {
 public:
  std::function<bool(unsigned port, const Packet&)> claimed = [](unsigned, const Packet&) { return true; };
  std::function<StageOutcome(unsigned port, Packet*, Tick start, Tick end)> unit = [](unsigned, Packet* p, Tick, Tick) {
    p->release();
    return StageOutcome{};
  };
  std::function<void(unsigned port, Tick now)> finished = [](unsigned, Tick) {};
  std::function<Expired(unsigned port, Tick now)> expires;
  std::vector<Tick> timeouts = std::vector<Tick>(64, never);

  RouteDecision route(unsigned in_port, const Packet& packet) override;
  bool claim(unsigned in_port, const Packet& packet, Tick) override { return claimed(in_port, packet); }
  RouteDecision route_injected(unsigned port, const Packet& packet) override { return route(port, packet); }
  StageOutcome operate(unsigned port, Packet* packet, Tick start, Tick end) override {
    return unit(port, packet, start, end);
  }
  void finish(unsigned port, const Packet*, Tick now) override { finished(port, now); }
  Tick next_timeout(unsigned port) const override { return timeouts[port]; }
  Expired expire(unsigned port, Tick now) override { return expires(port, now); }
};

/// A SwitchCore between a source and a sink at each port, without a kernel. It advances in windows of the link's
/// latency. Sinks accept every packet and return its space when its tail has arrived, unless they are closed.
class SwitchBench : private LinkOutput {
 public:
  struct Config {
    unsigned ports = 16;
    double speedup = 2;
    bool virtual_output_queues = true;
    bool crossbar_replicates = false;
    unsigned input_flits = 306;   ///< (150 + 2 x 20 ns) x 25 GB/s, and a packet
    unsigned output_flits = 541;  ///< 2 x 170 ns x 25 GB/s, and a packet
    unsigned sink_flits = 306;
    unsigned stage_queue_flits = 541;
    unsigned replication_flits = 288;
    Tick window = 0;      ///< 0: the link's latency
    Tick sink_delay = 0;  ///< a sink returns a packet's space at most this long after its tail; the delay varies
    CrossbarArbiter* arbiter = nullptr;
    Tick arbitration = 0;
    bool planned = false;  ///< the switch runs ahead as far as it may, and sees credits at the last moment
  };
  struct Delivery {
    unsigned port, vc, flits;
    TestHeader header;
    Tick head, tail;
  };
  struct Returned {  // buffer space of an input
    unsigned port, vc, flits;
    Tick when;
  };

  static constexpr Tick switch_latency = 150'000, link_latency = 20'000, flit_time = 640;
  static constexpr Tick packet_time = 9 * flit_time;
  /// From the start of a header flit at one end of a link to its arrival at the other end.
  static constexpr Tick hop = flit_time + link_latency;

  explicit SwitchBench(const Config& config);
  ~SwitchBench() override { reset(); }

  PacketPool pool{NvLink{}};
  ScriptedForwarding forwarding;
  std::vector<Delivery> delivered;  ///< in order of time at each port
  std::vector<Returned> returned;
  std::uint32_t closed_sinks = 0;  ///< a bit per port whose sink keeps its packets
  /// PacketSource::generate of all ports.
  std::function<Packet*(unsigned port, unsigned vc)> source;

  Packet* packet(unsigned vc, std::uint32_t outputs, Exit exit = Exit::link, unsigned payload = block_bytes);
  /// Queues a packet that the source of a port may send from `ready` on.
  void send(unsigned port, Packet* packet, Tick ready);
  void run(Tick until);
  /// Runs until nothing is pending. False if something is still pending after `limit`.
  bool run_dry(Tick limit = 1'000'000'000);
  void open_sinks();
  void reset();
  Tick now() const { return now_; }
  /// The number of windows that ended early because of plans.
  unsigned windows_cut() const { return windows_cut_; }
  SwitchCore& core() { return *core_; }
  const NvLinkTransmitter& source_link(unsigned port) const { return *links_[port]; }
  /// Flits of packets whose tail reached the sinks of `ports` from `begin` on and before `end`, divided by the capacity
  /// of their links.
  double throughput(std::uint32_t ports, Tick begin, Tick end) const;

 private:
  struct Credit {
    unsigned port, vc, flits;
    Tick when;
  };
  void deliver(unsigned port, Tick first, const LinkArrival* packets, unsigned count, Tick) override;
  void return_credits(unsigned port, Tick first, const LinkCredit* credits, unsigned count, Tick) override;
  void give_credits(Tick before);
  void run_ahead(Tick known);

  Config config_;
  std::vector<std::unique_ptr<NvLinkTransmitter>> links_, outputs_;  // into the switch, and out of it
  std::vector<PacketSource> sources_;
  std::unique_ptr<SwitchCore> core_;
  std::vector<Credit> credits_;  ///< in flight to the switch, or kept by a closed sink
  std::uint32_t next_id_ = 0;
  Tick now_ = 0;
  unsigned windows_cut_ = 0;
};

}  // namespace tributary
