#pragma once
/// StreamGpu: a GPU that runs streams of copies, records, waits and kernels (Wang et al., MLSys 2020, 4).

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "modules/base/sysc/memory_module.h"
#include "modules/link/link_port.h"
#include "modules/stream_gpu/core/stream_gpu_core.h"
#include "modules/streams/engine_bank.h"
#include "modules/streams/nccl_params.h"
#include "modules/timing/completion_listener.h"
#include "modules/timing/core_device.h"

namespace tributary {

class Channels;

/// Makes the memory of a StreamGpu.
using StreamMemoryFactory = std::function<std::unique_ptr<MemoryModule>(const char* name, unsigned gpu)>;

/// A device whose timing and rules are in StreamGpuCore. Each copy engine is connected by a socket of `engine_commands` and
/// one of `engine_wires`, and the memory by `memory_socket`.
class StreamGpu : public CoreDevice<StreamGpuCore, ScheduleNicLink>, private tlm::tlm_bw_transport_if<>, private AnswerHost {
 public:
  using LinkPort = BasicLinkPort<ScheduleNicLink>;

  /// A port of the device. The peers that it reaches are in StreamGpuCore::Config::ways.
  struct Port {
    std::string name;  ///< name below that of the GPU: `port0`
    LinkParams link;
    unsigned far_buffer_flits =
        0;  ///< buffer of a VC at the other end: receive_flits() of a GPU, or a router's input buffer
  };
  struct Parts {
    /// Makes a copy engine with the given name. If it is empty, the GPU makes a CopyEngine.
    CopyEngineFactory engine = {};
    bool outside_engines = false;  ///< the user binds `engine_commands` and `engine_wires`
    /// Makes the memory, which must grant direct access (DMI) to all its bytes. If it is empty, the GPU makes a DirectMemory
    /// of the latency of its parameters.
    StreamMemoryFactory memory = {};
  };
  struct Config {
    /// `params` without automatic values. The constructor throws std::invalid_argument, which names the parameter, if the
    /// rate of kernels or of a port has none.
    StreamGpuCore::Config core;
    std::vector<Port> ports;
    Arena arena{};  ///< arena of the platform
    Parts parts = {};
    NcclParams channels = {};  ///< needs rates if programs have channels
  };
  /// Returns the flits of the receive buffer of a GPU's port: all that the link brings before the first credit returns to
  /// the sender, and two bursts. Such a buffer never stops the link.
  static unsigned receive_flits(const LinkParams& link, const StreamGpuParams& params);

  tlm::tlm_initiator_socket<32> memory_socket{"memory_socket"};
  sc_core::sc_vector<CopyInitiator> engine_commands;
  sc_core::sc_vector<BurstTarget> engine_wires;

  /// `pool` and `views` belong to the platform. The framing of `pool` is framing_of<ScheduleNicLink>(15 x 256).
  StreamGpu(const sc_core::sc_module_name& name, const Config& config, PacketPool& pool, PayloadViews& views,
            CompletionListener& listener);
  ~StreamGpu() override;

  LinkPort& port(unsigned i) { return *ports_.at(i); }
  StreamGpuCore& core() { return *core_; }
  /// Starts the program at exactly `t0`, which is at least Windows::ahead from now. The previous program must have ended.
  /// Throws std::invalid_argument, in one line, as check_program() does.
  void post(StreamProgram program, Tick t0);

  MemoryModule& memory_module() { return *memory_; }
  /// Returns the bytes of the memory; null if it has no storage.
  std::byte* memory() { return memory_->data(); }
  void resize_memory(std::uint64_t bytes);

  void reset() override;
  void describe(ProbeDirectory& directory) override;

 private:
  Tick run_core(Inbox& inbox, Tick horizon) override;
  void add_waiting(std::vector<std::string>& lines) const override;
  void make_engines(const Config& config);
  // AnswerHost, for copies whose memory answers later
  bool in_kernel_time() const override { return lookahead() == 0; }
  void deferred() override;
  void answer_arrived() override { wake(core_->next()); }
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
  std::unique_ptr<ProgramPart> answers_;  // null: the memory has deferred nothing
};

}  // namespace tributary
