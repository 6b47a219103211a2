#pragma once
/// BasicWindowedDevice: a device with links; holds its ports, its inbox, and the times before which nothing else arrives.

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "modules/link/core/outgoing_links.h"
#include "modules/link/link_port.h"
#include "modules/timing/device.h"
#include "modules/timing/inbox.h"
#include "modules/timing/network_device.h"
#include "modules/timing/side_port.h"

namespace tributary {

/// Arrivals are stored, and the core reads them once they can have an effect. A window ends before the first effect of an
/// arrival not yet known: a packet, `delay` after the earliest safe time of the links, or a credit that a link may lack.
/// Without a guarantee, a device is safe up to kernel time.
template <class Protocol>
class BasicWindowedDevice : public Device,
                            public NetworkDevice,
                            public SidePortDevice,
                            protected LinkPortListener,
                            protected LinkOutput {
 public:
  using LinkPort = BasicLinkPort<Protocol>;
  using LinkTransmitter = BasicLinkTransmitter<Protocol>;

  unsigned ports() const final { return static_cast<unsigned>(links_.size()) + side_ports_.count(); }
  LinkEnd link_end(unsigned port) final;
  Tick last_credit() const final { return std::max(last_credit_, side_ports_.last_credit()); }
  void add_side_port(SidePort& port) final { side_ports_.add(port); }
  void wake_for_side(Tick when) final { wake(when); }
  const Tick& side_activation() const final { return activation(); }
  void set_windows(const Windows& windows) final { Device::set_windows(windows); }
  void stop_at(Tick when) final { Device::stop_at(when); }
  std::uint64_t activations() const final { return Device::activations(); }
  void set_lane(Lane& lane, unsigned order) final { Device::set_lane(lane, order); }
  void cross_lane(unsigned port) final;

 protected:
  /// `delay`: minimum time from the arrival of a packet's header flit to its first effect.
  BasicWindowedDevice(const sc_core::sc_module_name& name, Tick delay, const LinkParams& link, const Arena& arena = {});

  /// Call during elaboration. Returns the transmitters, by port.
  std::vector<LinkTransmitter*> set_ports(const std::vector<LinkPort*>& ports);
  std::string waiting_in_inbox() const;
  const SidePorts& side_ports() const { return side_ports_; }
  void describe_ports(ProbeDirectory& directory);
  /// Drops packets and credits in flight, and the safe times.
  void reset_links();

  // Interface to the core.
  /// Packets are in flight on the link of `port`.
  virtual void show_in_flight(unsigned, Tick, const LinkArrival*, unsigned) {}
  /// Credits of `port` have arrived, the first of them at `first`.
  virtual void credit(unsigned port, Tick first, const LinkCredit* credits, unsigned count) = 0;
  /// Returns how far the core can run at `now`, as SwitchCore::safe_horizon().
  virtual Tick safe_horizon(Tick now, Tick packets, const Tick* credits) = 0;
  /// Accepts the packets that have an effect up to `horizon` and runs until then, or as far as it can (see sent_until()).
  /// Returns the time of its next event.
  virtual Tick run_core(Inbox& inbox, Tick horizon) = 0;
  /// Returns the time up to which all its packets have been sent.
  virtual Tick sent_until() const = 0;

 private:
  /// A transfer that has arrived while the core runs in a thread.
  struct Kept {
    unsigned port;
    Tick first, safe_until;
    std::vector<LinkArrival> packets;
    std::vector<LinkCredit> credits;
    bool brings_credits;
  };
  [[gnu::cold, gnu::noinline]] void keep_packets(unsigned port, Tick first, const LinkArrival* packets, unsigned count,
                                                 Tick safe_until) {
    kept_.push_back({port, first, safe_until, {packets, packets + count}, {}, false});
  }
  [[gnu::cold, gnu::noinline]] void keep_credits(unsigned port, Tick first, const LinkCredit* credits, unsigned count,
                                                 Tick safe_until) {
    kept_.push_back({port, first, safe_until, {}, {credits, credits + count}, true});
  }
  void take_credits();
  Tick run_with_sides(Tick horizon);
  Tick run_until(Tick horizon) override;
  Tick run_ahead(Tick limit) override;
  void after_run() override;
  Tick unaffected_until() const override;
  bool informed(Tick now) const override;
  void on_packets(unsigned port, Tick first, const LinkArrival* packets, unsigned count, Tick safe_until) override;
  void on_credits(unsigned port, Tick first, const LinkCredit* credits, unsigned count, Tick safe_until) override;
  void deliver(unsigned port, Tick first, const LinkArrival* packets, unsigned count, Tick safe_until) override {
    links_[port]->deliver(first, packets, count, safe_until);
  }
  void return_credits(unsigned port, Tick first, const LinkCredit* credits, unsigned count, Tick safe_until) override {
    links_[port]->return_credits(first, credits, count, safe_until);
  }

  Tick delay_;
  std::vector<LinkPort*> links_;
  // By port: no arrival before that time is unknown. A link has guaranteed it, or the lookahead of the device.
  std::array<Tick, max_device_ports> packets_safe_until_{}, credits_safe_until_{};
  Tick run_until_ = 0;  // all its work up to this time is done
  Tick last_credit_ = 0;
  Inbox inbox_;
  SidePorts side_ports_;
  std::vector<Kept> kept_;          // in order of arrival
  std::vector<unsigned> crossing_;  // ports with links from other lanes
};

}  // namespace tributary
