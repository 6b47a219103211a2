#pragma once
/// DatagramStation: a device with one Ethernet port that sends the given frames and lists the arrivals.

#include <memory>
#include <vector>

#include "modules/ethernet/core/datagram_source.h"
#include "modules/ethernet/ethernet_device.h"

namespace tributary {

class DatagramStation : public EthernetDevice {
 public:
  struct Arrived {
    std::uint64_t id;
    std::uint16_t source;
    Tick head, tail;
    std::uint8_t ecn;
    bool operator==(const Arrived& o) const {
      return id == o.id && source == o.source && head == o.head && tail == o.tail && ecn == o.ecn;
    }
  };

  DatagramStation(const sc_core::sc_module_name& name, const PortConfig& port, PacketPool& pool);

  /// Queues a frame that may leave from `ready` on; `ready` is at least a window in the future.
  void send(Packet* frame, Tick ready);
  /// Starts a source of datagrams at `t0`.
  void start(const DatagramSource::Config& config, Tick t0);

  std::vector<Arrived> arrived;
  std::uint64_t pauses = 0;

 private:
  Tick run_core(Inbox& inbox, Tick horizon) override;
  std::vector<std::string> core_waiting() const override { return {}; }
  void reset_core() override;
  void describe_core(ProbeDirectory&) override {}

  PacketPool& pool_;
  std::unique_ptr<DatagramSource> source_;
};

}  // namespace tributary
