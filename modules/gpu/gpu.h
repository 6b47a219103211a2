#pragma once
/// Gpu: an endpoint with six NVLinks, a memory, and engines: DMA engine with wave controller, command executor, home
/// accumulator, and engines that a user adds.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "modules/base/sysc/payload_access.h"
#include "modules/gpu/core/gpu_core.h"
#include "modules/gpu/gpu_parts.h"
#include "modules/link/nvlink_port.h"
#include "modules/timing/completion_listener.h"
#include "modules/timing/core_device.h"

namespace tributary {

/// GpuCore, the hub, and the cores of the engines define timing and protocol. The factories of `parts` create the engines;
/// a user may replace or add one there. The memory is connected to `memory_socket`, where a user may bind another one that
/// annotates its times and does not wait; one that waits is refused at its first access. The delay of a read is its latency;
/// the delay of a write is ignored, as writes are posted. A memory may answer reads later (DeferredAnswer). Klenk et al.,
/// ISCA 2020, IV-D and Figure 6.
class Gpu : public CoreDevice<GpuCore, NvLink>,
            private GpuMemoryPort,
            private GpuListener,
            private AnswerHost,
            private tlm::tlm_bw_transport_if<> {
 public:
  struct Config {
    GpuConfig core;
    LinkParams link;
    unsigned ports = 0;
    unsigned far_buffer_flits = 0;  ///< per VC: input buffer of the switch
    Arena arena;                    ///< shared by the platform
    bool external_memory = false;   ///< the user binds a memory to `memory_socket`
    GpuParts parts = {};
  };
  tlm::tlm_initiator_socket<32> memory_socket{"memory_socket"};

  Gpu(const sc_core::sc_module_name& name, const Config& config, const AddressMap& map, PacketPool& pool,
      CompletionListener& listener);

  /// Returns the memory made by the factory, bound or not.
  MemoryModel& memory() { return *memory_; }
  NvLinkPort& port(unsigned i) { return *ports_[i]; }
  /// Returns an engine by its name in GpuParts. Throws std::logic_error if there is none.
  EngineModule& engine(const std::string& name);
  AddressTranslation& translation() { return core_->translation(); }
  /// Starts a program at exactly `t0`, at least Windows::ahead from now (the doorbell's latency).
  void post(GpuProgram program, Tick t0) { Device::wake(core_->post(std::move(program), t0)); }

  const GpuCore::MemoryUse& memory_use() const { return core_->memory_use(); }
  /// Adds the counters of the GPU and its engines since the last reset.
  void count(std::map<std::string, double>& counters) const { core_->count(counters); }
  void reset() override;
  /// Changes the random seed of latencies and issue order.
  void reseed(std::uint64_t seed);

 private:
  Tick run_core(Inbox& inbox, Tick horizon) override;
  AccessTime read(std::uint64_t address, std::byte* data, unsigned bytes, Tick now) override;
  AccessTime write(std::uint64_t address, const std::byte* data, unsigned bytes, Tick now) override;
  AccessTime read_at_once(std::uint64_t address, std::byte* data, unsigned bytes, Tick now) override;
  LateAnswers* late_answers(AnswerListener& listener) override;
  // AnswerHost, for a memory that answers later
  bool in_kernel_time() const override { return lookahead() == 0; }
  void answer_arrived() override;
  void begin_operation() override { memory_->begin_operation(); }
  void operation_done(Tick when) override { listener_.done(config_.core.gpu, when); }
  void operation_failed(Tick when, const std::string& error) override { listener_.failed(config_.core.gpu, when, error); }
  void wake(Tick when) override { Device::wake(when); }
  void make_memory();
  void make_engines();
  AccessTime access_memory(tlm::tlm_command command, std::uint64_t address, std::byte* data, unsigned bytes, Tick now,
                           bool later);
  /// Not inlined: it would need registers in each access of the model's own memory.
  [[gnu::noinline]] AccessTime access_memory_at(tlm::tlm_command command, std::uint64_t address, std::byte* data,
                                                unsigned bytes, Tick now, bool later);
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return tlm::TLM_COMPLETED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  Config config_;
  CompletionListener& listener_;
  LateAnswers late_;  // answers of the memory
  AnswerListener* reads_ = nullptr;
  PayloadAccess access_{"memory"};
  bool memory_reads_time_ = true;  // false: the model's own memory, whose latency does not depend on the time
  std::unique_ptr<MemoryModel> memory_;
  std::vector<std::unique_ptr<NvLinkPort>> ports_;
  std::vector<std::unique_ptr<EngineModule>> engines_;
};

}  // namespace tributary
