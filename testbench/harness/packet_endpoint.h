#pragma once
/// PacketEndpoint: a packet source and sink for test benches.

#include <vector>

#include "modules/link/nvlink_port.h"
#include "modules/timing/device.h"
#include "testbench/harness/packet_source.h"

namespace tributary {

/// A device with one port: a packet source, and a sink that accepts every packet.
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
  Tick credit_delay = 0;  ///< time that the sink holds a packet after the arrival of its tail

  /// Starts sending and generating packets at `when`, at least one window ahead.
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
