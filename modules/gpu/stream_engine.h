#pragma once
/// StreamEngine: module with streams, copy engines, kernels and channels of a GPU of an NVSwitch machine
/// (docs/blocks/gpu.md#streams).

#include <memory>

#include "modules/gpu/core/stream_engine_core.h"
#include "modules/gpu/gpu_parts.h"
#include "modules/streams/channels.h"
#include "modules/streams/engine_bank.h"

namespace tributary {

/// StreamEngineCore defines its rules. Copy engines are connected by the same three sockets as in a GPU with links to its
/// peers.
class StreamEngine final : public EngineModule, private GpuEngine {
 public:
  struct Config {
    StreamEngineParams params = {};                        ///< automatic values become those of a V100
    CopyEngineFactory make_engine = {};                    ///< empty: the default copy engine
    bool outside_engines = false;                          ///< the user binds `engine_commands` and `engine_wires`
    unsigned channels = ChannelEngine::standard_channels;  ///< channels that have probes
  };
  /// Name of its seat.
  static constexpr const char* seat_name = "streams";
  /// For GpuParts::add(seat_name, ...).
  static EngineFactory factory(const Config& config);

  StreamEngine(const sc_core::sc_module_name& name, EngineSeat seat, const Config& config);
  ~StreamEngine() override;

  sc_core::sc_vector<CopyInitiator> engine_commands;
  sc_core::sc_vector<BurstTarget> engine_wires;
  /// Target for the `memory` socket of copy engines: a read adds the memory's latency and is counted.
  TargetModule<>& engine_memory();

  StreamEngineCore& core() { return *core_; }
  GpuEngine& engine() override { return *this; }

 private:
  class EngineMemory;

  // GpuEngine: forwards to the core and the copy engines.
  EngineScope scope() const override { return core_->scope(); }
  bool load(const GpuProgram& program) override { return core_->load(program); }
  void start(Tick now) override { core_->start(now); }
  void run(Tick now, EngineTimer timer) override { core_->run(now, timer); }
  bool issue(Tick now) override { return core_->issue(now); }
  void packet(Packet* packet, Arrival from, Tick now) override { core_->packet(packet, from, now); }
  std::vector<std::string> waiting() const override;
  void reset() override;
  void describe(ProbeDirectory& directory, const std::string& name) override;
  void count(std::map<std::string, double>& counters) const override { core_->count(counters); }

  std::unique_ptr<EngineMemory> memory_;
  std::unique_ptr<EngineBank> engines_;
  std::unique_ptr<StreamEngineCore> core_;
  std::unique_ptr<Channels> channels_;
};

}  // namespace tributary
