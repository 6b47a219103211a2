#pragma once
/// MachineHost: the engine of a host with several GPUs, which share its NIC (Liu et al., 4.4 and 5.4).

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "modules/base/host/ring_queue.h"
#include "modules/ethernet/host_engine_module.h"
#include "platforms/netreduce/gpu_links.h"
#include "platforms/netreduce/host_gpu.h"

namespace tributary {

/// GPU g has the g-th part of the host's memory, of `stride` bytes. What one sends to another of the same host goes over
/// GpuLinks, and is added there as it comes in; everything else goes over the NIC.
class MachineHostCore : public HostEngine, private HostGpu::Ways {
 public:
  struct Config {
    HostParams host{};
    HostFlowParams flow{};
    unsigned mtu = 1024;  ///< bytes of a packet's payload
    unsigned gpus = 1;
  };
  MachineHostCore(const Config& config, Verbs& nic);

  HostGpu& gpu(unsigned i) { return gpus_.at(i); }
  unsigned gpus() const { return static_cast<unsigned>(gpus_.size()); }
  /// Data are moved there; null: time alone.
  void set_memory(std::byte* memory);
  void set_stride(std::uint64_t bytes) { stride_ = bytes; }
  /// Each GPU does its own part from `t0` on.
  void post(unsigned gpu, HostGpuProgram program, Tick t0);

  void completed(unsigned queue_pair, std::uint64_t id, Tick when) override;
  void arrived(unsigned queue_pair, std::uint32_t immediate, Tick when) override;
  void failed(unsigned queue_pair, Tick when, const std::string& why) override;
  Tick run_until(Tick horizon) override;
  Tick next() const override;
  std::vector<std::string> waiting() const override;
  void reset() override;
  void describe(ProbeDirectory& directory, const std::string& prefix) override;

 private:
  struct Owner {
    int gpu = -1;
    unsigned connection = 0;
  };
  /// Of a transfer between GPUs.
  struct Event {
    Tick when;
    unsigned gpu, connection;
    HostGpu::Stage stage;
    bool arrival;
    std::uint64_t value;  // immediate of an arrival, else number of the request
  };
  // HostGpu::Ways
  void send(unsigned gpu, const GpuConnection& way, HostGpu::Stage stage, const WriteRequest& request, Tick when) override;
  unsigned outstanding(unsigned queue_pair) const override { return nic_.outstanding(queue_pair); }
  void transfer(unsigned gpu, const GpuConnection& way, HostGpu::Stage stage, const WriteRequest& request, Tick when);
  void later(const Event& event);
  Owner owner(unsigned queue_pair) const;

  Verbs& nic_;
  GpuLinks links_;
  std::deque<HostGpu> gpus_;   // cannot be moved
  std::vector<Owner> owners_;  // by queue pair of the NIC
  RingQueue<Event> events_;    // in order of time
  std::byte* memory_ = nullptr;
  std::uint64_t stride_ = 0;
};

/// Rules: MachineHostCore. Part of a host, which calls it for its events.
class MachineHost : public HostEngineModule {
 public:
  /// `first_endpoint`: of the host's first GPU, as `listener` knows it.
  MachineHost(const sc_core::sc_module_name& name, const MachineHostCore::Config& config, unsigned first_endpoint,
              CompletionListener& listener);

  HostEngine& engine() override { return core_; }
  MachineHostCore& core() { return core_; }
  void set_memory(std::byte* memory) override { core_.set_memory(memory); }
  /// Begins at exactly `t0`.
  void post(unsigned gpu, HostGpuProgram program, Tick t0) { core_.post(gpu, std::move(program), t0), wake(t0); }

 private:
  MachineHostCore core_;
};

}  // namespace tributary
