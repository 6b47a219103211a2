#pragma once
/// MachineAgentCore: the GPUs of a host, which share its NIC (Liu et al., 3.4 and 5.4).

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "modules/base/host/ring_queue.h"
#include "modules/ethernet/core/host_agent.h"
#include "platforms/netreduce/gpu_links.h"
#include "platforms/netreduce/host_gpu.h"

namespace tributary {

/// GPU g has the g-th range of the host's memory, of `stride` bytes. A GPU sends to another GPU of its host over GpuLinks,
/// and the receiver adds the chunk on arrival. All other traffic passes through the NIC.
class MachineAgentCore : public HostAgent, private HostGpu::Transport {
 public:
  struct Config {
    HostParams host{};
    HostFlowParams flow{};
    unsigned mtu = 1024;  ///< payload bytes of a packet
    unsigned gpus = 1;
  };
  MachineAgentCore(const Config& config, Verbs& nic);

  HostGpu& gpu(unsigned i) { return gpus_.at(i); }
  unsigned gpus() const { return static_cast<unsigned>(gpus_.size()); }
  /// Sets the memory in which data are moved; null: only time is simulated.
  void set_memory(std::byte* memory);
  void set_stride(std::uint64_t bytes) { stride_ = bytes; }

  /// Adds a connection of a GPU. Returns its number in the GPU's programs; reset() forgets it.
  unsigned add_connection(unsigned gpu, const GpuConnection& connection);
  /// Connects two GPUs. Returns the number of the connection in the programs of each.
  std::pair<unsigned, unsigned> connect_gpus(unsigned from, unsigned to);
  /// The GPU carries out the stages `before`, `rings` and `after` from `t0` on, over the connections added until now.
  void post(unsigned gpu, HostProgram program, Tick t0);

  void completed(unsigned queue_pair, std::uint64_t id, Tick when) override;
  void arrived(unsigned queue_pair, std::uint32_t immediate, Tick when) override;
  void failed(unsigned queue_pair, Tick when, const std::string& why) override;
  Tick run_until(Tick horizon) override;
  Tick next() const override;
  std::vector<std::string> waiting() const override;
  void reset() override;
  HostAdditions additions() const {
    HostAdditions all;
    for (const HostGpu& gpu : gpus_) all += gpu.additions();
    return all;
  }
  void describe(ProbeDirectory& directory, const std::string& prefix) override;

 private:
  struct Owner {
    int gpu = -1;
    unsigned connection = 0;
  };
  /// End of a transfer between GPUs, at its sender or at its receiver.
  struct Event {
    Tick when;
    unsigned gpu, connection;
    HostGpu::Stage stage;
    bool arrival;
    std::uint64_t value;  // immediate of an arrival, else number of the request
  };
  // HostGpu::Transport
  void send(unsigned gpu, unsigned connection, HostGpu::Stage stage, const WriteRequest& request, Tick when) override;
  unsigned outstanding(unsigned queue_pair) const override { return nic_.outstanding(queue_pair); }
  void transfer(unsigned gpu, unsigned connection, HostGpu::Stage stage, const WriteRequest& request, Tick when);
  void schedule(const Event& event);
  Owner owner(unsigned queue_pair) const;

  Verbs& nic_;
  GpuLinks links_;
  std::deque<HostGpu> gpus_;                             // cannot be moved
  std::vector<std::vector<GpuConnection>> connections_;  // by GPU
  std::vector<Owner> owners_;                            // by queue pair of the NIC
  RingQueue<Event> events_;                              // in order of time
  std::byte* memory_ = nullptr;
  std::uint64_t stride_ = 0;
};

}  // namespace tributary
