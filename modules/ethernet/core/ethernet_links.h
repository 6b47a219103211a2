#pragma once
/// EthernetLinks: the transmitters of a device with Ethernet ports, and the wires that they feed.

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

/// Supports any number of ports. Only frames come back over a link, so a port may run as far as its device. Frames that it
/// has sent are stored here until the window ends, because no other device runs before then.
class EthernetLinks {
 public:
  using Transmitter = BasicLinkTransmitter<EthernetLink>;
  using Sent = Transmitter::Sent;

  /// `pool`: copies of duplicated frames are allocated from it.
  EthernetLinks(const std::vector<Transmitter*>& transmitters, LinkOutput& wires, PacketPool& pool);

  unsigned ports() const { return static_cast<unsigned>(ports_.size()); }
  Transmitter& operator[](unsigned port) { return *ports_[port].transmitter; }
  const Transmitter& operator[](unsigned port) const { return *ports_[port].transmitter; }
  /// `faults` outlives the links; null: all frames arrive undamaged.
  void set_faults(unsigned port, FrameFaults* faults) { ports_[port].faults = faults; }
  /// Fires for each frame of that port that does not arrive, arrives damaged or arrives twice, with the start of its
  /// serialisation.
  PacketFateProbe& fate(unsigned port) { return fates_[port]; }

  /// Queues a frame that may leave by `port` from `ready` on, and whose last bit is available at `tail`. Takes ownership of
  /// one reference.
  void push(unsigned port, Packet* packet, unsigned traffic_class, Tick ready, Tick tail) {
    assert(tail >= ready);
    ports_[port].transmitter->push(packet, traffic_class, packet->wire_bytes, ready, tail);
    start(port);
  }
  /// A pause of that class takes effect at `when`; quanta as in PauseFlowControl.
  void pause(unsigned port, unsigned traffic_class, unsigned quanta, Tick when) {
    ports_[port].transmitter->credit(traffic_class, quanta, when);
  }

  /// Sends all frames of the port that leave up to and including `until`; calls `on_sent(port, const Sent&)` at the start of
  /// each. Returns the time at which the next known frame leaves; `never` if there is none.
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
  /// Ends a window: all ports run up to `horizon`, and the frames that they have sent are delivered to the other ends.
  /// `safe_times`: also report the time before which nothing else arrives. Returns the time at which the next frame
  /// leaves.
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
  /// Returns one line for each port with queued frames: `port3: vc1: 2 packets queued`.
  std::vector<std::string> waiting() const;
  void reset();
  /// Scripted times count from `t0`.
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
  std::vector<unsigned> sending_;       // ports with frames
};

}  // namespace tributary
