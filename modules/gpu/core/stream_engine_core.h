#pragma once
/// StreamEngineCore: engine that executes streams and channels of a GPU over NVSwitches (Wang et al., MLSys 2020, 4).

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "modules/gpu/core/array_access.h"
#include "modules/gpu/core/block_hub.h"
#include "modules/gpu/stream_engine_params.h"
#include "modules/streams/core/kernel_unit.h"
#include "modules/streams/core/semaphore_table.h"
#include "modules/streams/core/stream_processor.h"

namespace tributary {

class ProgramPart;

/// Its parts are those of a GPU with copy engines, handled per instant: arrivals, ends, begins; then the choice of the
/// block for a link. A block or flag takes effect when its last flit has arrived.
class StreamEngineCore final : public GpuEngine, private StreamListener {
 public:
  /// `params` must have no automatic values.
  StreamEngineCore(EngineSeat seat, const StreamEngineParams& params, EngineArray& engines);

  BlockHub& hub() { return hub_; }
  StreamProcessor& streams() { return streams_; }
  SemaphoreTable& semaphores() { return semaphores_; }
  ArrayMemory& memory() { return memory_; }
  /// Sets the channels; call during construction.
  void set_channels(ProgramPart& channels) { channels_ = &channels; }

  /// A copy engine has got the answer of its memory, and may have sent bursts.
  void copy_answered() { arm(); }

  /// A copy engine in kernel time has ended a copy or sent bursts, from its own process.
  void engine_called(Tick now) { seat_.call_from_host(EngineTimer::before_issue, std::min(now, next())); }

  // GpuEngine
  EngineScope scope() const override { return {0, 0, 0, EngineScope::bit_of(Opcode::write)}; }
  /// Throws std::invalid_argument, one line: as check_program(), or for memory of a peer that is not mapped.
  bool load(const GpuProgram& program) override;
  void start(Tick now) override;
  void run(Tick now, EngineTimer timer) override;
  bool issue(Tick now) override;
  void packet(Packet* packet, Arrival from, Tick now) override;
  std::vector<std::string> waiting() const override;
  void reset() override;
  void describe(ProbeDirectory& directory, const std::string& name) override;
  void count(std::map<std::string, double>& counters) const override;

 private:
  // StreamListener
  void command_ended(std::uint32_t left, Tick now) override { seat_.show_remaining(now, left); }

  void check(const StreamWork& work) const;
  void handle(Tick now);
  void arm() { seat_.call(EngineTimer::before_issue, next()); }
  Tick next_end() const;
  Tick next() const { return std::min(next_end(), kernels_.next()); }
  void finish_if_over(Tick now);

  EngineSeat seat_;
  ArrayAccess memory_;
  BlockHub hub_;
  SemaphoreTable semaphores_;
  StreamProcessor streams_;
  KernelUnit kernels_;  // ends the commands of the streams
  ProgramPart* channels_ = nullptr;
  bool runs_ = false;  // a program of this engine has not ended
};

}  // namespace tributary
