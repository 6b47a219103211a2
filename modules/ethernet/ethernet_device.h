#pragma once
/// EthernetDevice: base class of devices with Ethernet ports. It stores what has arrived, and knows up to when nothing else
/// can arrive.

#include <memory>
#include <string>
#include <vector>

#include "modules/ethernet/core/ethernet_links.h"
#include "modules/ethernet/ethernet_port.h"
#include "modules/timing/device.h"
#include "modules/timing/inbox.h"
#include "modules/timing/network_device.h"
#include "modules/timing/side_port.h"

namespace tributary {

/// A device creates its ports in its constructor, and runs its core in run_core(). A window ends `delay` after the earliest
/// time up to which all frames of its neighbours are known. Pause frames (PFC) take effect one reaction time after their
/// end, and `delay` is no longer than that time.
class EthernetDevice : public Device,
                       public NetworkDevice,
                       public SidePortDevice,
                       private LinkPortListener,
                       private LinkOutput {
 public:
  struct PortConfig {
    Bandwidth rate;
    Time latency;
    Tick pause_reaction = 0;  ///< from the end of a pause frame to its effect
  };

  unsigned ports() const final { return static_cast<unsigned>(ports_.size()) + side_ports_.count(); }
  LinkEnd link_end(unsigned port) final;
  Tick last_credit() const final { return side_ports_.last_credit(); }
  void add_side_port(SidePort& port) final { side_ports_.add(port); }
  void wake_for_side(Tick when) final { wake(when); }
  const Tick& side_activation() const final { return activation(); }
  void set_windows(const Windows& windows) final { Device::set_windows(windows); }
  void stop_at(Tick when) final { Device::stop_at(when); }
  std::uint64_t activations() const final { return Device::activations(); }
  void set_lane(Lane& lane, unsigned order) final { Device::set_lane(lane, order); }
  void cross_lane(unsigned port) final;

  EthernetLinks& links() { return *links_; }
  std::vector<std::string> waiting() const override;
  void reset() override;
  void begin_run(Tick t0) final { links_->begin(t0); }
  void describe(ProbeDirectory& directory) override;

 protected:
  /// `delay`: least time between the arrival of a frame's head and its first effect. Port i is named `port<i>`. `pool`: the
  /// pool of the platform.
  EthernetDevice(const sc_core::sc_module_name& name, Tick delay, const std::vector<PortConfig>& ports, PacketPool& pool,
                 const Arena& arena = {});

  /// Takes the frames that can have an effect up to `horizon`, and processes all events up to then. The core calls
  /// EthernetLinks::finish(horizon, safe_times()). Returns the time of its next event.
  virtual Tick run_core(Inbox& inbox, Tick horizon) = 0;
  /// True in windows: neighbours learn how far this device has run.
  bool safe_times() const { return windowed_; }
  /// Returns lines about pending work of the core; the caller prefixes them with the name of the device.
  virtual std::vector<std::string> core_waiting() const = 0;
  virtual void reset_core() = 0;
  virtual void describe_core(ProbeDirectory& directory) = 0;

 private:
  Tick run_with_sides(Tick horizon);
  Tick run_until(Tick horizon) override;
  Tick run_ahead(Tick limit) override;
  Tick unaffected_until() const override;
  bool informed(Tick now) const override;
  void on_packets(unsigned port, Tick first, const LinkArrival* packets, unsigned count, Tick safe_until) override;
  void on_credits(unsigned, Tick, const LinkCredit*, unsigned, Tick) override;
  void deliver(unsigned port, Tick first, const LinkArrival* packets, unsigned count, Tick safe_until) override {
    ports_[port]->deliver(first, packets, count, safe_until);
  }
  void return_credits(unsigned, Tick, const LinkCredit*, unsigned, Tick) override {}

  Tick delay_;
  bool windowed_ = false;
  std::vector<std::unique_ptr<EthernetPort>> ports_;
  std::unique_ptr<EthernetLinks> links_;
  std::vector<Tick> safe_until_;  // by port: all frames that arrive before this time are known
  Inbox inbox_;
  SidePorts side_ports_;
  std::vector<unsigned> crossing_;  // ports with links from other lanes
};

}  // namespace tributary
