#include "testbench/driver/lowering.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "testbench/collective/fused.h"
#include "testbench/collective/in_place.h"
#include "testbench/collective/ring.h"
#include "testbench/collective/symbolic.h"
#include "testbench/collective/without_empty_chunks.h"

namespace tributary {
namespace {

using collective::FusedProgram;
using collective::FusedStep;

constexpr std::uint64_t blocks_of(Bytes b) { return (b.value + 127) / 128; }

Operation operation_of(const JobSpec& job) {
  Operation o;
  o.type = job.type;
  o.op = job.op;
  o.members = static_cast<unsigned>(job.ranks.size());
  return o;
}

/// Contiguous shares whose block counts differ by at most one.
void take_share(DmaStage& stage, std::uint64_t rank, std::uint64_t ranks) {
  const std::uint64_t blocks = stage.message.blocks();
  stage.first_block = blocks * rank / ranks;
  stage.block_count = blocks * (rank + 1) / ranks - stage.first_block;
}

std::vector<Operation> lower_push(const JobSpec& job, Bytes message, const SystemParams& p, FabricManager& fabric) {
  DmaStage stage;
  stage.kind = DmaStage::Kind::push;
  stage.message = fabric.multicast_region(job.ranks, 0, message.value);
  stage.block_count = stage.arrivals = stage.message.blocks();
  stage.wave_blocks = static_cast<std::uint32_t>(p.gpu.dma.wave_bytes.value / 128);
  Operation o = operation_of(job);
  o.stages.push_back(stage);
  return std::vector<Operation>(job.ranks.size(), o);
}

/// One packet of each rank: a pull all-reduce of one block each, or a flag to everybody (klenk.md 5).
DmaStage barrier_stage(const BlockRange& region, BarrierKind kind, std::uint64_t rank, std::uint64_t ranks) {
  DmaStage stage;
  stage.message = region;
  stage.first_block = rank;
  stage.block_count = 1;
  stage.wave_blocks = 1;
  stage.flags = kind == BarrierKind::flags;
  stage.kind = stage.flags ? DmaStage::Kind::multicast : DmaStage::Kind::pull;
  stage.arrivals = stage.flags ? ranks - 1 : ranks;
  return stage;
}

std::vector<Operation> lower_pull(const JobSpec& job, Bytes message, const SystemParams& p, FabricManager& fabric) {
  const std::uint64_t ranks = job.ranks.size();
  const std::uint64_t wave = p.gpu.dma.wave_bytes.value / 128;
  const MemoryLayout layout = MemoryLayout::of(job, message);
  DmaStage stage;
  stage.kind = DmaStage::Kind::pull;
  stage.message = fabric.multicast_region(job.ranks, 0, message.value);
  stage.arrivals = stage.message.blocks();
  stage.wave_blocks = static_cast<std::uint32_t>(
      p.pull.wave_scope == PullWaveScope::global ? std::max<std::uint64_t>(1, wave / ranks) : wave);
  BlockRange barrier;
  if (p.pull.barrier) barrier = fabric.multicast_region(job.ranks, layout.barrier, ranks * 128);
  std::vector<Operation> operations;
  for (std::uint64_t r = 0; r < ranks; ++r) {
    Operation o = operation_of(job);
    if (p.pull.barrier) o.stages.push_back(barrier_stage(barrier, p.pull.barrier_kind, r, ranks));
    take_share(stage, r, ranks);
    o.stages.push_back(stage);
    operations.push_back(o);
  }
  return operations;
}

std::vector<Operation> lower_broadcast(const JobSpec& job, Bytes message, const SystemParams& p, FabricManager& fabric) {
  DmaStage stage;
  stage.message = fabric.multicast_region(job.ranks, 0, message.value);
  stage.wave_blocks = static_cast<std::uint32_t>(p.gpu.dma.wave_bytes.value / 128);
  std::vector<Operation> operations;
  for (std::size_t r = 0; r < job.ranks.size(); ++r) {
    const bool root = static_cast<int>(r) == job.root;
    stage.kind = root ? DmaStage::Kind::multicast : DmaStage::Kind::none;
    stage.block_count = root ? stage.message.blocks() : 0;
    stage.arrivals = root ? 0 : stage.message.blocks();
    operations.push_back(operation_of(job));
    operations.back().stages.push_back(stage);
  }
  return operations;
}

/// What peers may write at one rank: its mailbox slots, numbered as their messages name them, and its message buffer.
struct Mailbox {
  std::map<std::pair<int, int>, std::uint16_t> slots;  // (peer, slot of the schedule) -> slot of the GPU
  std::uint64_t network = 0, message = 0;              // network addresses
  std::map<std::tuple<int, int, int>, bool> in_place;  // (peer, slot, step) of a message: goes to its chunk itself
};

class ScheduleLowering {
 public:
  ScheduleLowering(const JobSpec& job, Bytes message, FabricManager& fabric, const collective::Schedule& schedule)
      : job_(job), message_(message), schedule_(schedule), program_(collective::fuse(schedule)) {
    verify_allreduce(schedule);
    verify_allreduce(program_);
    verify_in_place(program_);
    const MemoryLayout layout = MemoryLayout::of(job, message);
    local_ = layout.mailboxes;
    for (int c = 0; c < schedule.chunks; ++c)
      slot_bytes_ = std::max(slot_bytes_, schedule.chunk_range(c, message.value).blocks * 128);
    for (int r = 0; r < schedule.ranks; ++r) add_mailbox(r, fabric);
  }

  Operation operation(int rank) const {
    Operation o = operation_of(job_);
    o.message = {0, message_.value};
    for (const FusedStep& step : program_.steps[static_cast<std::size_t>(rank)]) {
      const auto index = static_cast<std::uint32_t>(o.commands.size());
      o.commands.push_back(command(rank, step));
      if (index > 0) o.commands.back().after.push_back(index - 1);
    }
    return o;
  }

 private:
  void add_mailbox(int rank, FabricManager& fabric) {
    Mailbox box;
    for (const FusedStep& step : program_.steps[static_cast<std::size_t>(rank)])
      if (step.receive) {
        const collective::MailboxSlot& from = *step.receive;
        box.slots.emplace(std::pair{from.peer, from.slot}, static_cast<std::uint16_t>(box.slots.size()));
        box.in_place[{from.peer, from.slot, from.step}] = lands_in_place(step);
      }
    const int gpu = job_.ranks[static_cast<std::size_t>(rank)];
    box.message = fabric.unicast_buffer(gpu, 0, message_.value);
    if (!box.slots.empty()) box.network = fabric.unicast_buffer(gpu, local_, box.slots.size() * slot_bytes_);
    boxes_.push_back(std::move(box));
  }

  GpuCommand command(int rank, const FusedStep& step) const {
    const collective::ChunkRange range = schedule_.chunk_range(step.chunk, message_.value);
    GpuCommand c;
    c.first_block = range.first_block;
    c.block_count = range.blocks;
    c.reduce = step.reduce;
    c.store = step.store_local && !lands_in_place(step);
    const std::uint64_t chunk = range.first_block * 128;
    if (step.receive) {
      const std::uint16_t slot = slot_of(rank, step.receive->peer, step.receive->slot);
      c.receive = {gpu_of(step.receive->peer), slot, lands_in_place(step) ? chunk : local_ + slot * slot_bytes_};
    }
    if (step.send) {
      const Mailbox& box = boxes_[static_cast<std::size_t>(step.send->peer)];
      const std::uint16_t slot = slot_of(step.send->peer, rank, step.send->slot);
      const bool in_place = box.in_place.at({rank, step.send->slot, step.send->step});
      c.send = {gpu_of(step.send->peer), slot, in_place ? box.message + chunk : box.network + slot * slot_bytes_};
    }
    return c;
  }

  std::uint16_t gpu_of(int rank) const { return static_cast<std::uint16_t>(job_.ranks[static_cast<std::size_t>(rank)]); }
  std::uint16_t slot_of(int owner, int from, int slot) const {
    return boxes_[static_cast<std::size_t>(owner)].slots.at({from, slot});
  }

  const JobSpec& job_;
  Bytes message_;
  collective::Schedule schedule_;
  FusedProgram program_;
  std::vector<Mailbox> boxes_;
  std::uint64_t slot_bytes_ = 0, local_ = 0;
};

std::vector<Operation> lower_ring(const JobSpec& job, Bytes message, FabricManager& fabric) {
  const auto ranks = static_cast<int>(job.ranks.size());
  const collective::Schedule full = collective::ring_allreduce(ranks);
  const ScheduleLowering lowering(job, message, fabric, collective::without_empty_chunks(full, message.value));
  std::vector<Operation> operations;
  for (int r = 0; r < ranks; ++r) operations.push_back(lowering.operation(r));
  return operations;
}

}  // namespace

MemoryLayout MemoryLayout::of(const JobSpec& job, Bytes message) {
  const std::uint64_t ranks = job.ranks.size();
  MemoryLayout layout;
  layout.barrier = blocks_of(message) * 128;
  layout.mailboxes = layout.barrier + (job.algorithm == "pull" ? ranks * 128 : 0);
  // a ring has one slot per rank, each as large as the largest chunk
  if (job.algorithm == "ring") layout.mailbox_bytes = ranks * ((blocks_of(message) + ranks - 1) / ranks) * 128;
  return layout;
}

std::vector<Operation> lower(const JobSpec& job, Bytes message, const SystemParams& params, FabricManager& fabric) {
  if (job.collective == "broadcast") return lower_broadcast(job, message, params, fabric);
  if (job.algorithm == "push") return lower_push(job, message, params, fabric);
  if (job.algorithm == "pull") return lower_pull(job, message, params, fabric);
  return lower_ring(job, message, fabric);
}

}  // namespace tributary
