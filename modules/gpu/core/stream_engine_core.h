#pragma once
/// StreamEngineCore: the engine of a GPU that carries out streams and channels over NVSwitches (Wang et al., MLSys 2020, 4).

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

/// Its parts are those of a GPU with copy engines, handled instant by instant: what has come, what ends, what begins; then
/// which block goes to a link. A block or flag matters when its last flit is in.
class StreamEngineCore final : public GpuEngine, private StreamListener {
 public:
  /// `params` without automatic values.
  StreamEngineCore(EngineSeat seat, const StreamEngineParams& params, EngineArray& engines);

  BlockHub& hub() { return hub_; }
  StreamProcessor& streams() { return streams_; }
  SemaphoreTable& semaphores() { return semaphores_; }
  ArrayMemory& memory() { return memory_; }
  /// During construction: the channels.
  void set_channels(ProgramPart& channels) { channels_ = &channels; }

  // GpuEngine
  EngineScope scope() const override { return {0, 0, 0, EngineScope::bit_of(Opcode::write)}; }
  /// Throws std::invalid_argument, one line: as check_program(), or memory of a peer that is not mapped.
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
  bool runs_ = false;  // a program of its own that is not over
};

}  // namespace tributary
