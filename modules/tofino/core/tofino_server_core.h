#pragma once
/// TofinoServerCore: the host of the parameter server of ATP.

#include <cstdint>
#include <string>
#include <vector>

#include "modules/base/host/ring_queue.h"
#include "modules/ethernet/core/ethernet_links.h"
#include "modules/tofino/core/atp_server.h"
#include "modules/tofino/core/update_header.h"

namespace tributary {

/// Its software processes one packet after another. A result is one frame, which the switch multicasts.
class TofinoServerCore {
 public:
  struct Config {
    AtpServer::Config server;
    std::uint16_t station = 0;  ///< station of this host
    std::uint16_t switch_station = 0;
    Tick packet_time = 0;      ///< time of the software for a packet
    Tick send_latency = 0;     ///< time from the software to the first bit
    Tick receive_latency = 0;  ///< time from the last bit to the software
  };
  TofinoServerCore(const Config& config, EthernetLinks& links, PacketPool& pool)
      : config_(config), links_(links), pool_(pool), server_(config.server) {}

  /// A frame arrives; takes ownership of one reference.
  void accept(Packet* frame, Tick tail);
  /// Processes all events up to `horizon`. Returns the time of the next event.
  Tick run(Tick horizon, bool safe_times);

  const AtpServer& server() const { return server_; }
  std::vector<std::string> waiting() const;
  void reset();
  void describe(ProbeDirectory& directory, const std::string& prefix) { server_.describe(directory, prefix + "server."); }

 private:
  struct Arrival {
    Tick when;
    Packet* frame;
  };
  Tick next() const { return arrivals_.empty() ? never : std::max(arrivals_.front().when, software_free_); }
  void receive(const Packet& frame, Tick now);

  Config config_;
  EthernetLinks& links_;
  PacketPool& pool_;
  AtpServer server_;
  RingQueue<Arrival> arrivals_;  // in order of time
  Tick software_free_ = 0;
};

}  // namespace tributary
