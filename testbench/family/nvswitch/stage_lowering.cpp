#include "testbench/family/nvswitch/stage_lowering.h"

#include <algorithm>

#include "testbench/workload/job_group.h"

namespace tributary {

std::vector<GpuProgram> StageLowering::bare(std::size_t members) const {
  GpuProgram o;
  o.type = job_.type;
  o.op = job_.op;
  o.members = static_cast<unsigned>(members);
  return std::vector<GpuProgram>(ranks_, o);
}

DmaStage StageLowering::stage(DmaStage::Kind kind, BlockRange region) const {
  DmaStage s;
  s.kind = kind;
  s.message = region;
  s.wave_blocks = static_cast<std::uint32_t>(wave_);
  return s;
}

DmaStage StageLowering::pull_stage(BlockRange region, std::uint64_t requesters) const {
  DmaStage s = stage(DmaStage::Kind::pull, region);
  if (params_.pull.wave_scope == PullWaveScope::global)
    s.wave_blocks = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, wave_ / requesters));
  return s;
}

/// Adds a barrier of one packet of each rank: a pull all-reduce of one block each, or a flag to all others
/// (docs/systems/klenk.md#barrier).
void StageLowering::add_barrier(std::vector<GpuProgram>& operations, BlockRange region, BarrierKind kind,
                                std::uint64_t bytes) const {
  DmaStage s = stage(DmaStage::Kind::pull, region);
  s.block_count = s.wave_blocks = 1;
  s.share_bytes = bytes;
  s.flags = kind == BarrierKind::flags;
  if (s.flags) s.kind = DmaStage::Kind::multicast;
  s.arrivals = s.flags ? ranks_ - 1 : ranks_;
  for (std::size_t r = 0; r < operations.size(); ++r) {
    s.first_block = r;
    operations[r].stages.push_back(s);
  }
}

void StageLowering::add_start_barrier(std::vector<GpuProgram>& operations) {
  if (!params_.pull.barrier || (placed_ != nullptr && !placed_->has_barrier)) return;
  add_barrier(operations, region(layout_.mailboxes, ranks_ * block_bytes), params_.pull.barrier_kind, 128);
  memory_bytes_ = layout_.mailboxes + ranks_ * block_bytes;
}

/// Selects the rank's own part of the gathered or scattered message.
void StageLowering::take_part(DmaStage& s, std::uint64_t rank) const {
  s.first_block = parts_.first_block(rank);
  s.block_count = parts_.blocks(rank);
  s.share_bytes = parts_.bytes(rank);
}

std::vector<GpuProgram> StageLowering::push() {
  DmaStage s = stage(DmaStage::Kind::push, region(0, message_.value));
  s.block_count = s.arrivals = s.message.blocks();
  std::vector<GpuProgram> operations = bare(ranks_);
  for (GpuProgram& o : operations) o.stages.push_back(s);
  return operations;
}

/// Each rank pulls a contiguous range of blocks; the numbers of blocks differ by at most one.
std::vector<GpuProgram> StageLowering::pull() {
  DmaStage s = pull_stage(region(0, message_.value), ranks_);
  s.arrivals = s.message.blocks();
  std::vector<GpuProgram> operations = bare(ranks_);
  add_start_barrier(operations);
  for (std::uint64_t r = 0; r < ranks_; ++r) {
    s.first_block = s.arrivals * r / ranks_;
    s.block_count = s.arrivals * (r + 1) / ranks_ - s.first_block;
    operations[r].stages.push_back(s);
  }
  return operations;
}

std::vector<GpuProgram> StageLowering::broadcast() {
  const std::vector<int> group = group_of(job_);
  const BlockRange all =
      placed_ != nullptr ? region(0, message_.value) : fabric_.multicast_region(gpus_of(job_, group), 0, message_.value);
  std::vector<GpuProgram> operations = bare(group.size());
  for (const int r : group) {
    const bool root = r == job_.root;
    DmaStage s = stage(root ? DmaStage::Kind::multicast : DmaStage::Kind::none, all);
    (root ? s.block_count : s.arrivals) = all.blocks();
    operations[static_cast<std::size_t>(r)].stages.push_back(s);
  }
  return operations;
}

std::vector<GpuProgram> StageLowering::allgather() {
  const BlockRange all = region(0, parts_.all_bytes());
  std::uint64_t blocks = 0;
  for (std::uint64_t r = 0; r < ranks_; ++r) blocks += parts_.blocks(r);
  std::vector<GpuProgram> operations = bare(ranks_);
  for (std::uint64_t r = 0; r < ranks_; ++r) {
    DmaStage s = stage(DmaStage::Kind::multicast, all);
    take_part(s, r);
    s.arrivals = blocks - s.block_count;
    operations[r].stages.push_back(s);
  }
  return operations;
}

/// The others receive one block of each wave, which ends the wave for them.
std::vector<GpuProgram> StageLowering::push_to_root() {
  DmaStage s = stage(DmaStage::Kind::push, region(0, message_.value));
  s.block_count = s.message.blocks();
  s.root = static_cast<std::uint16_t>(job_.ranks[static_cast<std::size_t>(job_.root)]);
  std::vector<GpuProgram> operations = bare(ranks_);
  for (std::size_t r = 0; r < ranks_; ++r) {
    s.arrivals = static_cast<int>(r) == job_.root ? s.block_count : (s.block_count + wave_ - 1) / wave_;
    operations[r].stages.push_back(s);
  }
  return operations;
}

/// The root pulls every block and keeps it. The others answer even if their program is empty.
std::vector<GpuProgram> StageLowering::pull_by_root() {
  std::vector<GpuProgram> operations = bare(ranks_);
  const BlockRange all = region(0, message_.value);
  add_start_barrier(operations);
  DmaStage s = pull_stage(all, 1);
  s.keeps = true;
  s.block_count = s.arrivals = all.blocks();
  operations[static_cast<std::size_t>(job_.root)].stages.push_back(s);
  s = stage(DmaStage::Kind::none,
            all);  // a rank that answers pulls sends no requests, but the range is part of the operation
  for (std::size_t r = 0; r < ranks_; ++r)
    if (static_cast<int>(r) != job_.root) operations[r].stages.push_back(s);
  return operations;
}

/// Slices of several operations alternate in memory where they have a stride. The range of a stage is then the slice alone:
/// addresses name their stage.
std::vector<GpuProgram> StageLowering::reduce_scatter() {
  std::vector<GpuProgram> operations = bare(ranks_);
  const BlockRange all = region(0, parts_.all_bytes());
  DmaStage s = pull_stage(all, ranks_);
  s.keeps = true;
  add_start_barrier(operations);
  for (std::uint64_t r = 0; r < ranks_; ++r) {
    take_part(s, r);
    if (job_.part_stride != 0) s.message = {all.address(s.first_block), parts_.bytes(r)}, s.first_block = 0;
    s.arrivals = s.block_count;
    operations[r].stages.push_back(s);
  }
  return operations;
}

std::vector<GpuProgram> StageLowering::barrier_of(BarrierKind kind) {
  std::vector<GpuProgram> operations = bare(ranks_);
  add_barrier(operations, region(0, ranks_ * block_bytes), kind, message_.value);
  return operations;
}

}  // namespace tributary
