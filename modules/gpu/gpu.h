#pragma once
/// Gpu: an endpoint with six NVLinks, a memory, a DMA engine with wave controller, and a command executor.

#include <memory>
#include <string>
#include <vector>

#include "modules/engine/core_device.h"
#include "modules/gpu/core/gpu_core.h"
#include "modules/gpu/memory.h"
#include "modules/link/nvlink_port.h"

namespace tributary {

/// Host side of a GPU: hears when its operation is over. Called ahead of the kernel's time, with the exact time.
class GpuHost {
 public:
  virtual ~GpuHost() = default;
  virtual void operation_done(unsigned gpu, Tick when) = 0;
  virtual void operation_failed(unsigned gpu, Tick when, const std::string& error) = 0;
};

/// Timing and protocol: GpuCore. The memory stands behind `memory_socket`, where a user may bind another one that annotates
/// its latency and does not wait; one that waits is refused at its first access (SystemC error `tributary/memory`). The
/// delay of a read is the latency, that of a write is not waited for: writes are posted. Klenk et al., ISCA 2020, IV-D and
/// Figure 6.
class Gpu : public CoreDevice<GpuCore, NvLink>, private GpuWires, private tlm::tlm_bw_transport_if<> {
 public:
  struct Config {
    GpuCore::Config core;
    LinkParams link;
    unsigned ports = 0;
    unsigned far_buffer_flits = 0;  ///< per VC: input buffer of the switch
    bool external_memory = false;   ///< `memory_socket` is left for a memory of the user's
  };
  tlm::tlm_initiator_socket<32> memory_socket{"memory_socket"};
  Memory memory;

  Gpu(const sc_core::sc_module_name& name, const Config& config, const AddressMap& map, PacketPool& pool, GpuHost& host);

  LinkPort& port(unsigned i) { return *ports_[i]; }
  AddressTranslation& translation() { return core_->translation(); }
  /// Starts an operation at exactly `t0`, which lies at least Windows::ahead after now (the doorbell's latency).
  void post(Operation operation, Tick t0) { wake(core_->post(std::move(operation), t0)); }

  /// Background traffic: from `t0` on, and not at `when` or later; both lie at least Windows::ahead after now.
  void start_background(Tick t0) { wake(core_->start_background(t0)); }
  void stop_background(Tick when) { core_->stop_background(when); }
  const BackgroundTraffic::Counts& background_counts() const { return core_->background_counts(); }

  const GpuCore::MemoryUse& memory_use() const { return core_->memory_use(); }
  void reset() override;
  /// Other random numbers from now on: latencies, issue order.
  void reseed(std::uint64_t seed);

 private:
  Tick run_core(Inbox& inbox, Tick horizon) override;
  Tick read(std::uint64_t address, std::byte* data, unsigned bytes) override;
  void write(std::uint64_t address, const std::byte* data, unsigned bytes) override;
  void operation_done(Tick when) override { host_.operation_done(config_.core.gpu, when); }
  void operation_failed(Tick when, const std::string& error) override {
    host_.operation_failed(config_.core.gpu, when, error);
  }
  Tick access_memory(tlm::tlm_command command, std::uint64_t address, std::byte* data, unsigned bytes);
  void call_memory(sc_core::sc_time& delay);
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return tlm::TLM_COMPLETED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  Config config_;
  GpuHost& host_;
  tlm::tlm_generic_payload access_;
  std::vector<std::unique_ptr<LinkPort>> ports_;
};

}  // namespace tributary
