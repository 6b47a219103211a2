#pragma once
/// AcceleratorBench: an AcceleratorCore with the model's own parts, without a kernel. Tests insert frames by hand, and
/// the bench keeps the frames that the core sends.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "modules/ethernet/ethernet_port.h"
#include "modules/netreduce/core/accelerator_core.h"
#include "modules/netreduce/core/payload_buffer.h"

namespace tributary {

class AcceleratorBench : private LinkOutput {
 public:
  /// 10 ns of cable, and 72 B until the head of a frame has arrived.
  static constexpr Tick latency = 10'000, head_latency = 15'760, cycle = 3103;

  struct Sent {
    unsigned port;
    Packet* frame;
    Tick start, head, tail;
  };

  explicit AcceleratorBench(unsigned ports, const AcceleratorParams& params = {}, const AggregationParams& rules = {},
                            unsigned window = 2)
      : connections(window, rules), slots(rules), combinator(params) {
    EthernetTransmitter::Config link;
    link.link.rate = 100_Gbps;
    link.link.latency = 10_ns;
    link.flow_control.quantum = pause_quantum(100_Gbps);
    for (unsigned p = 0; p < ports; ++p) transmitters_.push_back(std::make_unique<EthernetTransmitter>(link));
    std::vector<EthernetTransmitter*> all;
    for (const auto& t : transmitters_) all.push_back(t.get());
    links = std::make_unique<EthernetLinks>(all, static_cast<LinkOutput&>(*this), pool);
    core = std::make_unique<AcceleratorCore>(
        AcceleratorCore::Config{params, rules},
        AcceleratorCore::Parts{icrc, connections, slots, translations, headers, payloads, combinator}, *links, pool);
    core->describe(directory, "");
    connections.table.describe(directory, "clt.");
    slots.describe(directory, "");
    translations.describe(directory, "ctt.");
    icrc.describe(directory, "");
    combinator.describe(directory, "combinator.");
    directory.for_each<SignalProbe>([this](const std::string& name, SignalProbe& probe) {
      probe.attach(&counts_[name], [](void* count, Tick, std::uint64_t) { ++*static_cast<std::uint64_t*>(count); });
    });
  }
  ~AcceleratorBench() override {
    core->reset();
    links->reset();
    clear();
  }

  /// The last bit of the frame arrives at `port` at `tail`.
  void receive(unsigned port, Packet* frame, Tick tail) {
    core->accept(port, frame, tail - (frame->wire_bytes - 72u) * 80, tail);
  }
  /// Carries out all events up to and including `horizon`.
  Tick run(Tick horizon) {
    const Tick next = core->run_until(horizon);
    return std::min(
        next, links->finish(horizon, false, [this](unsigned port, const EthernetLinks::Sent& s) { core->sent(port, s); }));
  }
  /// Runs until no event is left.
  void run() {
    for (Tick next = run(now_); next != never; next = run(next)) now_ = next;
  }
  /// Returns how often a probe has fired.
  std::uint64_t count(const std::string& probe) { return counts_.at(probe); }
  /// Releases the frames that have been sent.
  void clear() {
    for (const Sent& s : sent) s.frame->release();
    sent.clear();
  }

  PacketPool pool{framing_of<EthernetLink>(1024)};
  IcrcCheck icrc;
  ConnectionLookup connections;
  SlotStates slots;
  CtTable translations;
  HeaderStore headers;
  PayloadBuffer payloads;
  Combinator combinator;
  std::unique_ptr<EthernetLinks> links;
  std::unique_ptr<AcceleratorCore> core;
  std::vector<Sent> sent;
  ProbeDirectory directory;

 private:
  void deliver(unsigned port, Tick first, const LinkArrival* packets, unsigned count, Tick) override {
    for (const LinkArrival* a = packets; a != packets + count; ++a) {
      const Tick head = first + a->after;
      sent.push_back({port, a->packet, head - head_latency, head, head + a->duration});
    }
  }
  void return_credits(unsigned, Tick, const LinkCredit*, unsigned, Tick) override {}

  std::map<std::string, std::uint64_t> counts_;
  std::vector<std::unique_ptr<EthernetTransmitter>> transmitters_;
  Tick now_ = 0;
};

}  // namespace tributary
