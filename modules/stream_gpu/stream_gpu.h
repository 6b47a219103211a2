#pragma once
/// StreamGpu: a GPU that carries out streams of copies, records, waits and kernels (Wang et al., MLSys 2020, 4).

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "modules/base/sysc/memory_module.h"
#include "modules/timing/completion_listener.h"
#include "modules/timing/core_device.h"
#include "modules/link/link_port.h"
#include "modules/stream_gpu/core/stream_gpu_core.h"
#include "modules/streams/engine_bank.h"
#include "modules/streams/nccl_params.h"

namespace tributary {

class Channels;

/// Makes the memory of a StreamGpu.
using StreamMemoryFactory = std::function<std::unique_ptr<MemoryModule>(const char* name, unsigned gpu)>;

/// A device. Timing and rules: StreamGpuCore. Copy engines stand behind sockets, one of each kind for an engine, the memory
/// behind `memory_socket`.
class StreamGpu : public CoreDevice<StreamGpuCore, ScheduleNicLink>, private tlm::tlm_bw_transport_if<> {
 public:
  using LinkPort = BasicLinkPort<ScheduleNicLink>;

  /// A port of the device. What it leads to: the ways of the core.
  struct Port {
    std::string name;  ///< below the GPU's: `port0`
    LinkParams link;
    unsigned far_buffer_flits = 0;  ///< of a VC at the other end: receive_flits() of a GPU, a router's input buffer
  };
  struct Parts {
    /// Makes a copy engine, named as given. None: the model's own.
    CopyEngineFactory engine = {};
    bool outside_engines = false;  ///< `engine_commands` and `engine_wires` are left for the user to bind
    /// Makes the memory, which grants direct access (DMI) to all that it has. None: a DirectMemory without latency.
    StreamMemoryFactory memory = {};
  };
  struct Config {
    StreamGpuCore::Config core;  ///< `params` without automatic values
    std::vector<Port> ports;
    Arena arena{};  ///< of the platform
    Parts parts = {};
    NcclParams channels = {};  ///< with rates, where programs have channels
  };
  /// Flits that the receive buffer of a GPU's port has: all that a link brings before the room of the first of it is back at
  /// the sender, and two bursts. So it never stops a link.
  static unsigned receive_flits(const LinkParams& link, const StreamGpuParams& params);

  tlm::tlm_initiator_socket<32> memory_socket{"memory_socket"};
  sc_core::sc_vector<CopyInitiator> engine_commands;
  sc_core::sc_vector<BurstTarget> engine_wires;

  /// `pool` (framing_of<ScheduleNicLink>(15 x 256)) and `views` are those of the platform.
  StreamGpu(const sc_core::sc_module_name& name, const Config& config, PacketPool& pool, PayloadViews& views,
            CompletionListener& listener);
  ~StreamGpu() override;

  LinkPort& port(unsigned i) { return *ports_.at(i); }
  StreamGpuCore& core() { return *core_; }
  /// The program begins at exactly `t0`, at least Windows::ahead from now; the one before has ended. Throws
  /// std::invalid_argument, one line, on what it cannot carry out: no way to a peer, addresses beyond the memory.
  void post(StreamProgram program, Tick t0);

  MemoryModule& memory_module() { return *memory_; }
  /// Null without storage.
  std::byte* memory() { return memory_->data(); }
  void resize_memory(std::uint64_t bytes);

  void reset() override;
  void describe(ProbeDirectory& directory) override;

 private:
  Tick run_core(Inbox& inbox, Tick horizon) override;
  void add_waiting(std::vector<std::string>& lines) const override;
  void make_engines(const Config& config);
  std::byte* direct_memory();
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return tlm::TLM_COMPLETED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  bool with_data_;
  std::vector<std::unique_ptr<LinkPort>> ports_;
  std::unique_ptr<MemoryModule> memory_;
  std::unique_ptr<EngineBank> engines_;
  std::unique_ptr<Channels> channels_;
};

}  // namespace tributary
