#pragma once
/// PcieBridgeCore: the rules by which a NIC reaches the memories of its GPUs over PCIe.

#include <cstdint>
#include <string>
#include <vector>

#include "modules/base/host/ring_queue.h"
#include "modules/ethernet/core/host_agent.h"
#include "modules/pcie/pcie_framing.h"
#include "modules/roce/core/host_memory_port.h"
#include "modules/roce/core/nic_feed.h"
#include "platforms/cluster/nic_fetch.h"
#include "platforms/cluster/pcie_messages.h"

namespace tributary {

/// A work request of a GPU is posted to the NIC when its last byte has arrived. A report of the NIC becomes a notice, and a
/// payload that it has received a write; both keep their order on the link of the GPU. Payloads to send are fetched by
/// reads (NicFetch), and again for packets that are sent again.
class PcieBridgeCore final : public HostAgent, public HostMemoryPort, public NicFeed {
 public:
  struct Config {
    PcieFraming framing{};
    NicFetch::Config fetch{};
    std::vector<std::uint16_t> gpus{};  ///< numbers of the GPUs at the side ports
    bool with_data = true;
  };
  /// The side ports.
  class Ports {
   public:
    virtual ~Ports() = default;
    /// The packet may leave from `ready` on.
    virtual void send(unsigned gpu, Packet* packet, Tick ready) = 0;
    /// Frees the room of a received packet.
    virtual void free(unsigned gpu, const Packet& packet, Tick when) = 0;
  };
  /// Messages, and bytes of payloads that have been requested and written, since the last reset.
  struct Counts {
    std::uint64_t posts = 0, notices = 0;
    std::uint64_t read_bytes = 0, written_bytes = 0;
  };

  PcieBridgeCore(const Config& config, PacketPool& pool, Verbs& nic, Ports& ports);
  ~PcieBridgeCore() override;

  void connect(NicFeedListener& nic) { nic_feed_ = &nic; }
  void set_pair(unsigned queue_pair, unsigned gpu);
  /// A packet arrives from a GPU, its last byte at `tail`; takes over one reference.
  void receive(unsigned gpu, Packet* packet, Tick tail);
  const Counts& counts() const { return counts_; }
  const NicFetch& fetch() const { return fetch_; }

  // HostAgent
  void completed(unsigned queue_pair, std::uint64_t id, Tick when) override;
  void arrived(unsigned queue_pair, std::uint32_t immediate, Tick when) override;
  void failed(unsigned queue_pair, Tick when, const std::string& why) override;
  Tick run_until(Tick horizon) override;
  Tick next() const override { return arrivals_.empty() ? never : arrivals_.front().tail; }
  std::vector<std::string> waiting() const override;
  void reset() override;
  void describe(ProbeDirectory& directory, const std::string& prefix) override;

  // HostMemoryPort
  bool holds_data() const override { return config_.with_data; }
  bool takes_time() const override { return true; }
  bool contains(std::uint64_t, std::uint64_t) const override { return true; }
  void read(std::uint64_t, std::byte*, unsigned) override {}
  void write(std::uint64_t, const std::byte*, unsigned) override {}
  void write_at(const PayloadPlace& place, const std::byte* from, unsigned bytes, Tick when) override;

  // NicFeed
  bool by_packet() const override { return true; }
  void nothing_left(unsigned queue_pair, std::uint64_t unacknowledged) override {
    fetch_.nothing_left(queue_pair, unacknowledged);
  }
  void posted(unsigned queue_pair, const WriteRequest& request, Tick now) override;
  Tick available(const Payload& payload, Tick now) override;
  Tick take(const Payload& payload, std::byte* to, Tick now) override;

 private:
  struct Arrival {
    Tick tail;
    unsigned gpu;
    Packet* packet;
  };
  void send(unsigned queue_pair, Packet* packet, Tick ready);
  void notify(const NicNotice& notice, Tick when);
  void issue_reads(Tick now);
  void accept(const Arrival& arrival);
  unsigned gpu_of(unsigned queue_pair) const;

  Config config_;
  PacketPool& pool_;
  Verbs& nic_;
  Ports& ports_;
  NicFeedListener* nic_feed_ = nullptr;
  NicFetch fetch_;
  std::vector<int> gpu_of_;      // by queue pair; -1: unknown
  RingQueue<Arrival> arrivals_;  // in order of (tail, GPU)
  Counts counts_;
  SignalProbe reads_probe_;
};

}  // namespace tributary
