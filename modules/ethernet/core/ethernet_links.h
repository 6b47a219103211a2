#pragma once
/// EthernetLinks: the sending ends of a device with Ethernet ports, and the wires behind them.

#include <cassert>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "modules/ethernet/core/frame_faults.h"
#include "modules/link/core/link_output.h"
#include "modules/link/core/link_transmitter.h"
#include "modules/link/flow_control/pause.h"
#include "modules/packet/packet_fate.h"
#include "modules/protocol/roce.h"

namespace tributary {

/// Any number of ports. Nothing comes back over a link but frames, so a port may run as far as its device. What it has sent
/// stays here until the window ends, for no other device runs before.
class EthernetLinks {
 public:
  using Transmitter = BasicLinkTransmitter<EthernetLink>;
  using Sent = Transmitter::Sent;

  /// `pool`: copies of duplicated frames come from there.
  EthernetLinks(const std::vector<Transmitter*>& transmitters, LinkOutput& wires, PacketPool& pool);

  unsigned ports() const { return static_cast<unsigned>(ports_.size()); }
  Transmitter& operator[](unsigned port) { return *ports_[port].transmitter; }
  const Transmitter& operator[](unsigned port) const { return *ports_[port].transmitter; }
  /// Null: all frames arrive whole. Outlives the links.
  void set_faults(unsigned port, FrameFaults* faults) { ports_[port].faults = faults; }
  /// Of frames that do not arrive as they have left by that port; at the start of their serialisation.
  PacketFateProbe& fate(unsigned port) { return fates_[port]; }

  /// A frame that may leave by `port` from `ready` on, and whose last bit is at hand at `tail`; takes over its reference.
  void push(unsigned port, Packet* packet, unsigned traffic_class, Tick ready, Tick tail) {
    assert(tail >= ready);
    ports_[port].transmitter->push(packet, traffic_class, packet->wire_bytes, ready, tail);
    start(port);
  }
  /// A pause for that class is there at `when`; quanta as PauseFlowControl.
  void pause(unsigned port, unsigned traffic_class, unsigned quanta, Tick when) {
    ports_[port].transmitter->credit(traffic_class, quanta, when);
  }

  /// Brings a port up to date: sends what leaves up to and including `until`; `on_sent(port, const Sent&)` for each frame as
  /// it starts. Returns when its next frame leaves, as far as is known: `never` without one.
  template <class OnSent>
  Tick run(unsigned port, Tick until, OnSent&& on_sent) {
    Port& p = ports_[port];
    return p.transmitter->run_until(until, [&](const Sent& sent) {
      on_sent(port, sent);
      if (__builtin_expect(p.faults == nullptr, 1))
        p.train.add(sent.packet, sent.head, sent.tail);
      else
        cross(p, sent);
    });
  }
  Tick run(unsigned port, Tick until) {
    return run(port, until, [](unsigned, const Sent&) {});
  }
  /// Ends a window: all ports run up to `horizon`, and what they have sent goes to the other ends; `safe_times`: with the
  /// time up to which nothing else comes. Returns when the next frame leaves.
  template <class OnSent>
  Tick finish(Tick horizon, bool safe_times, OnSent&& on_sent) {
    Tick next = never;
    for (std::size_t i = 0; i < sending_.size();) {
      const unsigned port = sending_[i];
      next = std::min(next, run(port, horizon, on_sent));
      if (ports_[port].transmitter->empty()) {
        ports_[port].sending = false;
        sending_[i] = sending_.back();
        sending_.pop_back();
      } else {
        ++i;
      }
    }
    for (unsigned port = 0; port < ports(); ++port)
      hand_over(port, safe_times ? horizon + 1 + ports_[port].transmitter->head_latency() : 0);
    return next;
  }

  bool quiescent() const;
  /// One line for each port with frames: `port3: vc1: 2 packets queued`.
  std::vector<std::string> waiting() const;
  void reset();
  /// Scripted times count from t0.
  void begin(Tick t0);

 private:
  struct Port {
    Transmitter* transmitter;
    FrameFaults* faults = nullptr;
    PacketTrain train{};
    bool sending = false;  // frames are queued
  };
  void start(unsigned port) {
    if (!std::exchange(ports_[port].sending, true)) sending_.push_back(port);
  }
  void hand_over(unsigned port, Tick safe_until) {
    PacketTrain& train = ports_[port].train;
    if (train.empty() && safe_until == 0) return;
    train.empty_into([&](Tick first, const LinkArrival* packets, unsigned count) {
      wires_.deliver(port, first, packets, count, safe_until);
    });
  }
  [[gnu::noinline]] void cross(Port& port, const Sent& sent);

  LinkOutput& wires_;
  PacketPool& pool_;
  std::vector<Port> ports_;
  std::vector<PacketFateProbe> fates_;  // by port
  std::vector<unsigned> sending_;  // ports with frames
};

}  // namespace tributary
