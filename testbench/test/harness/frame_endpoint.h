#pragma once
/// FrameEndpoint: a device with one Ethernet port that sends the given frames and keeps the arrivals.

#include <string>
#include <vector>

#include "modules/ethernet/ethernet_device.h"

namespace tributary {

class FrameEndpoint : public EthernetDevice {
 public:
  struct Arrived {
    Packet* frame;
    Tick head, tail;
  };

  FrameEndpoint(const sc_core::sc_module_name& name, const PortConfig& port, PacketPool& pool)
      : EthernetDevice(name, port.latency.value, {port}, pool) {}
  ~FrameEndpoint() override {
    reset();
    for (const Arrived& a : arrived) a.frame->release();
  }

  /// Sends at `ready`, but not before the kernel's time.
  void send(Packet* frame, Tick ready) {
    links().push(0, frame, frame->vc, ready, ready);
    wake(ready);
  }
  std::vector<Arrived> arrived;

 private:
  Tick run_core(Inbox& inbox, Tick horizon) override {
    inbox.take_packets(horizon, [this](unsigned, Packet* frame, Tick head, Tick tail) {
      arrived.push_back({frame, head, tail});
    });
    return links().finish(horizon, safe_times(), [](unsigned, const EthernetLinks::Sent&) {});
  }
  std::vector<std::string> core_waiting() const override { return {}; }
  void reset_core() override {}
  void describe_core(ProbeDirectory&) override {}
};

}  // namespace tributary
