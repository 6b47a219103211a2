#pragma once
/// Lowers the in-network algorithms to stages of DMA requests, and registers the regions that they need.

#include <cstdint>
#include <vector>

#include "testbench/family/nvswitch/lowering.h"
#include "testbench/workload/memory_layout.h"

namespace tributary {

/// Each member function lowers one algorithm.
class StageLowering {
 public:
  explicit StageLowering(const LowerInput& in)
      : job_(in.job),
        message_(in.message),
        params_(in.params),
        fabric_(in.fabric),
        placed_(in.placed),
        layout_(MemoryLayout::of(in.job, in.message)),
        parts_(parts_of(in.job, in.message)),
        memory_bytes_(layout_.mailboxes),
        ranks_(in.job.ranks.size()),
        wave_(in.params.gpu.dma.wave_bytes.value / 128) {}

  std::vector<GpuProgram> push();
  std::vector<GpuProgram> pull();
  std::vector<GpuProgram> broadcast();
  std::vector<GpuProgram> allgather();
  std::vector<GpuProgram> push_to_root();
  std::vector<GpuProgram> pull_by_root();
  std::vector<GpuProgram> reduce_scatter();
  std::vector<GpuProgram> pull_barrier() { return barrier_of(BarrierKind::allreduce); }
  std::vector<GpuProgram> flag_barrier() { return barrier_of(BarrierKind::flags); }

  /// Returns the memory that each rank's GPU needs; known after lowering.
  std::uint64_t memory_bytes() const { return memory_bytes_; }
  /// Returns the size of the last part of this memory: the operands of a start barrier.
  std::uint64_t barrier_bytes() const { return memory_bytes_ - layout_.mailboxes; }

 private:
  std::vector<GpuProgram> bare(std::size_t members) const;
  DmaStage stage(DmaStage::Kind kind, BlockRange region) const;
  DmaStage pull_stage(BlockRange region, std::uint64_t requesters) const;
  BlockRange region(std::uint64_t local, std::uint64_t bytes) {
    if (placed_ != nullptr) return {local == 0 ? placed_->message : placed_->barrier, bytes};
    return fabric_.multicast_region(job_.ranks, local, bytes);
  }
  void add_start_barrier(std::vector<GpuProgram>& operations);
  void add_barrier(std::vector<GpuProgram>& operations, BlockRange region, BarrierKind kind, std::uint64_t bytes) const;
  std::vector<GpuProgram> barrier_of(BarrierKind kind);
  void take_part(DmaStage& stage, std::uint64_t rank) const;

  const JobSpec& job_;
  Bytes message_;
  const NvSwitchPlatformParams& params_;
  FabricManager& fabric_;
  const PlacedRegions* placed_;
  MemoryLayout layout_;
  collective::Parts parts_;
  std::uint64_t memory_bytes_, ranks_, wave_;
};

}  // namespace tributary
