#pragma once
/// NvlsEngineCore: engine with the thread blocks of NCCL's NVLS kernel at one GPU (docs/blocks/nvls.md).

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "modules/gpu/core/array_access.h"
#include "modules/gpu/core/engine_seat.h"
#include "modules/streams/core/kernel_sequence.h"
#include "modules/streams/core/nvls_block.h"
#include "modules/streams/nvls_params.h"

namespace tributary {

/// NvlsBlock defines the rules of a thread block. The blocks take turns, one load-reduce each. A load-reduce is a pull that
/// all members answer, this GPU included. The sums of a block of 128 B leave again as a multicast write to all of them,
/// whose acks the switches may merge. Flags are writes of a flit: `summed` is multicast, the others go to each head.
class NvlsEngineCore final : public GpuEngine, private NvlsHost {
 public:
  /// `params`: `copy_rate` has a value. Without `channels` a program may have NvlsParams::most_blocks thread blocks.
  NvlsEngineCore(EngineSeat seat, const NvlsParams& params, unsigned multiprocessors = KernelSequence::unlimited);

  EngineScope scope() const override {
    return {0, 0, 0,
            EngineScope::bit_of(Opcode::mc_write) | EngineScope::bit_of(Opcode::rsp) | EngineScope::bit_of(Opcode::write)};
  }
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
  // NvlsHost
  void scatter(std::uint32_t block, const NvlsStep& step) override;
  void gather(std::uint32_t block, const NvlsStep& step) override;
  void post(const NvlsFlag& flag, Tick now) override;

  const NvlsWork& work() const { return *seat_.program().nvls; }
  const NvlsPlan& pieces() const { return *work().plan; }
  Packet* make_store(std::uint32_t block, const NvlsBlock::Unit& unit, Tick now);
  void load(std::uint32_t block, const NvlsBlock::Unit& unit, const EngineSeat::Place& place, Tick now);
  void store_message(std::uint32_t block, const NvlsBlock::Unit& unit, Tick now);
  void on_sum(Packet* packet, Tick now);
  void store_sum(std::uint32_t block, const NvlsBlock::Unit& unit, const std::byte* data, Tick now);
  void on_write(Packet* packet, Tick now);
  void send_flag(const NvlsFlag& flag, Opcode opcode, std::uint16_t gpu, Tick now);
  void begin_blocks(const KernelSequence::Begun& begun);
  bool end_blocks(Tick now);
  void offer(std::uint32_t block, Tick now);
  void arm();
  void wake(std::uint32_t block, Tick now) {
    if (blocks_[block].next() <= now) seat_.call(EngineTimer::before_issue, now);
  }

  EngineSeat seat_;
  Tick base_;
  bool merge_acks_;
  unsigned multiprocessors_;
  ArrayAccess memory_;
  std::deque<NvlsBlock> blocks_;              // NvlsParams::channels
  std::vector<std::vector<std::byte>> sums_;  // by block: registers with the sums of a step
  KernelSequence kernels_;
  std::uint32_t resident_ = 0;  // a bit per block of the kernel that has begun and not ended
  std::uint32_t used_ = 0;      // blocks of the program
  std::uint32_t ready_ = 0;     // a bit per block that can request a unit
  std::uint32_t turn_ = 0;      // block after the last that has requested one
  bool runs_ = false;           // a program of this engine has not ended
  std::uint64_t load_reduces_ = 0, copied_bytes_ = 0;
};

}  // namespace tributary
