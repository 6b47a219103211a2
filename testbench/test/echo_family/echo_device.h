#pragma once
/// EchoDevice: sends a packet to its peer, and echoes the packets of the peer.

#include <cstddef>
#include <string>
#include <vector>

#include "modules/link/nvlink_port.h"
#include "modules/timing/completion_listener.h"
#include "modules/timing/device.h"
#include "modules/timing/network_device.h"

namespace tributary {

/// A packet of the peer is echoed after this device has begun, so the return of its own packet proves that the peer has
/// begun: a barrier of two devices.
class EchoDevice : public Device, public NetworkDevice, private LinkPortListener {
 public:
  struct Config {
    unsigned index = 0;
    NvLinkTransmitter::Config link;
    Tick turnaround = 0;  ///< from the last flit of a packet to the first of its echo
  };
  EchoDevice(const sc_core::sc_module_name& name, const Config& config, PacketPool& pool, CompletionListener& listener);

  NvLinkPort port;
  std::vector<std::byte> memory;
  PacketProbe delivered;
  SignalProbe echoes;

  /// Sends a packet with that payload at exactly `start`.
  void post(unsigned bytes, Tick start);
  std::uint64_t echoed() const { return echoed_; }

  unsigned ports() const override { return 1; }
  LinkEnd link_end(unsigned) override { return {port.out, port.in, port.transmitter()}; }
  Tick last_credit() const override { return last_credit_; }
  std::vector<std::string> waiting() const override;
  void reset() override;
  void describe(ProbeDirectory& directory) override;
  void set_windows(const Windows& windows) override { Device::set_windows(windows); }
  void stop_at(Tick when) override { Device::stop_at(when); }
  std::uint64_t activations() const override { return Device::activations(); }

 private:
  struct Arrival {
    Tick tail;
    Packet* packet;
  };
  Tick run_until(Tick horizon) override;
  /// Actions of the peer reach this device a lookahead later.
  Tick run_ahead(Tick limit) override;
  void on_packets(unsigned, Tick first, const LinkArrival* packets, unsigned count, Tick until) override;
  void on_credits(unsigned, Tick first, const LinkCredit* credits, unsigned count, Tick until) override;
  void take(const Arrival& arrival);
  void send(unsigned source, unsigned bytes, Tick when);

  Config config_;
  PacketPool& pool_;
  CompletionListener& listener_;
  NvLinkTransmitter& link_;
  std::vector<Arrival> arrivals_;  ///< in order of time
  unsigned bytes_ = 0;
  Tick start_ = never;  ///< start of the operation
  bool to_send_ = false, to_return_ = false;
  std::uint64_t echoed_ = 0;
  Tick last_credit_ = 0;
};

}  // namespace tributary
