#pragma once
/// SidePort: a port of a device that speaks another protocol than the device's other ports.

#include <algorithm>
#include <string>
#include <vector>

#include "modules/base/host/ring_queue.h"
#include "modules/link/core/outgoing_links.h"
#include "modules/link/link_port.h"
#include "modules/timing/early_arrival.h"
#include "modules/timing/network_device.h"

namespace tributary {

class SidePort;

/// The device of side ports.
class SidePortDevice {
 public:
  virtual ~SidePortDevice() = default;
  /// Adds a port during elaboration. Its number follows those of the other ports. Throws std::invalid_argument for more than
  /// SidePorts::most.
  virtual void add_side_port(SidePort& port) = 0;
  /// Requests a wake-up for an arrival that has an effect at `when`.
  virtual void wake_for_side(Tick when) = 0;
  /// Returns Device::activation().
  virtual const Tick& side_activation() const = 0;
};

/// Returns the device that a module is part of. Throws std::logic_error if its parent is none with side ports.
SidePortDevice& side_port_device_of(const sc_core::sc_object& part);

/// The part of a device that receives the packets of a side port.
class SideReceiver {
 public:
  virtual ~SideReceiver() = default;
  /// Takes over a reference to a packet whose header has arrived at `head`, and its last flit at `tail`. It has its first
  /// effect SidePort::delay() after `head`, or later. Calls come before the core runs, in order of `head`.
  virtual void on_side_packet(Packet* packet, Tick head, Tick tail) = 0;
};

/// Interface to the device, which calls it in every wake-up: safe(), in windows, and take() before its core runs, and
/// finish() afterwards (docs/timing.md#side-ports).
class SidePort {
 public:
  virtual ~SidePort() = default;
  virtual LinkEnd end() = 0;
  /// Returns the time that an effect of an arrival takes at least, from its header flit on.
  virtual Tick delay() const = 0;
  /// Begins a window at `now`, before which nothing has happened. Returns the time before which no packet arrives that is
  /// not known; it is at least `at_least`.
  virtual Tick safe(Tick now, Tick at_least) = 0;
  /// Passes the packets on that can have an effect up to `horizon`.
  virtual void take(Tick horizon) = 0;
  /// Ends a wake-up in which the device has done all its work up to `until`: packets that leave until then are delivered,
  /// and credits are returned. Returns the time of the next arrival or departure that is known.
  virtual Tick finish(Tick until) = 0;
  /// Returns the arrival time of the latest credit so far.
  virtual Tick last_credit() const = 0;
  /// Returns a line if packets or credits are pending; empty otherwise.
  virtual std::string waiting() const = 0;
  virtual void reset() = 0;
  virtual void describe(ProbeDirectory& directory) = 0;
};

/// A port of `Protocol`, which has credits. A module or core of the device owns it, pushes packets and frees the buffer
/// space of those received while the core runs, at times after those of earlier wake-ups; times of credits ascend.
template <class Protocol>
class BasicSidePort final : public SidePort, private LinkPortListener, private LinkOutput {
 public:
  using LinkPort = BasicLinkPort<Protocol>;
  using Config = typename BasicLinkTransmitter<Protocol>::Config;

  /// Adds itself to the device. `delay`: least time from the arrival of a header flit to its first effect.
  BasicSidePort(const char* name, SidePortDevice& device, SideReceiver& receiver, Tick delay, const Config& config);

  /// Queues a packet that may leave from `ready` on and is fully buffered at `tail`; takes over one reference.
  void push(Packet* packet, unsigned vc, Tick ready, Tick tail) {
    links_[0].push(packet, vc, flits_of<Protocol>(*packet), ready, tail);
    links_.sending(0);
  }
  /// Frees room of a VC that a received packet has occupied.
  void free(Tick when, unsigned vc, unsigned flits) { links_.free(0, when, vc, flits); }
  LinkPort& port() { return port_; }

  LinkEnd end() override { return {port_.out, port_.in, port_.transmitter(), &port_}; }
  Tick delay() const override { return delay_; }
  Tick safe(Tick now, Tick at_least) override;
  void take(Tick horizon) override;
  Tick finish(Tick until) override;
  Tick last_credit() const override { return last_credit_; }
  std::string waiting() const override;
  void reset() override;
  void describe(ProbeDirectory& directory) override;

 private:
  struct Arrival {
    Packet* packet;
    Tick head, tail;
  };
  struct Credits {
    Tick first;
    std::vector<LinkCredit> credits;
  };
  void on_packets(unsigned port, Tick first, const LinkArrival* packets, unsigned count, Tick safe_until) override;
  void on_credits(unsigned port, Tick first, const LinkCredit* credits, unsigned count, Tick safe_until) override;
  void deliver(unsigned, Tick first, const LinkArrival* packets, unsigned count, Tick safe_until) override {
    port_.deliver(first, packets, count, safe_until);
  }
  void return_credits(unsigned, Tick first, const LinkCredit* credits, unsigned count, Tick safe_until) override {
    port_.return_credits(first, credits, count, safe_until);
  }
  void take_credits();

  SidePortDevice& device_;
  SideReceiver& receiver_;
  Tick delay_;
  LinkPort port_;
  BasicOutgoingLinks<Protocol, 1> links_;
  RingQueue<Arrival> arrivals_;   // in order of `head`
  std::vector<Credits> credits_;  // not yet counted
  Tick packets_safe_until_ = 0, credits_safe_until_ = 0;
  Tick done_ = 0;  // all work of the link up to this time is done
  Tick last_credit_ = 0;
};

/// The side ports of a device.
class SidePorts {
 public:
  static constexpr unsigned most = 4;

  void add(SidePort& port);
  bool empty() const { return ports_.empty(); }
  unsigned count() const { return static_cast<unsigned>(ports_.size()); }
  SidePort& operator[](unsigned i) const { return *ports_.at(i); }

  /// Returns the time up to which the device may run, at most `limit`.
  Tick horizon(Tick now, Tick at_least, Tick limit) const;
  void take(Tick horizon) const;
  Tick finish(Tick until) const;
  Tick last_credit() const;
  void add_waiting(std::vector<std::string>& lines) const;
  void reset() const;
  void describe(ProbeDirectory& directory) const;

 private:
  std::vector<SidePort*> ports_;
};

}  // namespace tributary
