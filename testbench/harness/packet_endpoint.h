#pragma once

#include <vector>

#include "modules/timing/device.h"
#include "modules/link/nvlink_port.h"
#include "testbench/harness/packet_source.h"

namespace tributary {

/// A device with one port: a source of packets, and a sink that takes whatever comes.
class PacketEndpoint : public Device, private LinkPortListener {
 public:
  struct Delivery {
    Tick head, tail;
    std::uint64_t id;  ///< address in the packet's header
    std::uint16_t source;
    std::uint8_t vc;
    std::uint16_t flits;
  };

  PacketEndpoint(const sc_core::sc_module_name& name, const NvLinkTransmitter::Config& config)
      : Device(name),
        port("port", static_cast<LinkPortListener&>(*this), activation(), 0, config),
        source(port.transmitter()) {}

  NvLinkPort port;
  PacketSource source;
  std::vector<Delivery> delivered;
  Tick credit_delay = 0;  ///< how long the sink keeps a packet after its tail has come

  /// Sends from `when` on, and takes what the source generates from then on; at least one window ahead.
  void start(Tick when) { wake(when); }

 private:
  struct Held {
    Tick until;
    std::uint8_t vc;
    std::uint16_t flits;
  };
  Tick run_until(Tick horizon) override;
  void on_packets(unsigned, Tick first, const LinkArrival* packets, unsigned count, Tick until) override;
  void on_credits(unsigned, Tick first, const LinkCredit* credits, unsigned count, Tick until) override;

  RingQueue<Held> held_;
};

}  // namespace tributary
