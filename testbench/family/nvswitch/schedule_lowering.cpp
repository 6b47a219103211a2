#include "testbench/family/nvswitch/schedule_lowering.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "testbench/collective/schedule/direct_placement.h"
#include "testbench/collective/schedule/fused.h"
#include "testbench/collective/schedule/symbolic.h"
#include "testbench/workload/job_group.h"
#include "testbench/workload/memory_layout.h"

namespace tributary {
namespace {

using collective::FusedProgram;
using collective::FusedStep;

/// What peers may write at one rank: its mailbox slots, numbered as their messages name them, and its buffers.
struct Mailbox {
  std::map<std::pair<int, int>, std::uint16_t> slots;  // (peer, slot of the schedule) -> slot of the GPU
  std::map<std::uint16_t, std::uint64_t> memory;       // slot of the GPU -> offset among the mailboxes, if it needs any
  std::map<int, std::uint64_t> relays;                 // chunk that only passes through -> offset among the mailboxes
  std::uint64_t bytes = 0;                             // of all of that
  std::uint64_t network = 0, buffers = 0;              // network addresses
  std::map<std::tuple<int, int, int>, bool> direct;    // (peer, slot, step) of a message: goes to its chunk itself
};

class ScheduleLowering {
 public:
  ScheduleLowering(const JobSpec& job, Bytes message, SizedSchedule schedule, FabricManager& fabric)
      : layout_(MemoryLayout::of(job, message)),
        gpus_(gpus_of(job, group_of(job))),
        sized_(std::move(schedule)),
        places_(job, message, sized_.schedule),
        slot_bytes_(sized_.slot_bytes()),
        program_(fuse(sized_.schedule)) {
    verify(sized_.schedule);
    verify(program_);
    verify_direct_placement(program_);
    for (int r = 0; r < sized_.schedule.ranks; ++r) add_mailbox(r, fabric);
  }

  std::uint64_t memory_bytes() const { return layout_.mailboxes + mailbox_bytes_; }

  void fill(GpuProgram& o, int rank) const {
    o.message = {0, memory_bytes()};
    for (const FusedStep& step : program_.steps[static_cast<std::size_t>(rank)]) {
      o.commands.push_back(command(rank, step));
      for (const int before : step.after) o.commands.back().after.push_back(static_cast<std::uint32_t>(before));
    }
  }

 private:
  void add_mailbox(int rank, FabricManager& fabric) {
    Mailbox box;
    for (const FusedStep& step : program_.steps[static_cast<std::size_t>(rank)])
      if (step.receive) {
        const collective::MailboxSlot& from = *step.receive;
        const auto slot = box.slots.emplace(std::pair{from.peer, from.slot}, static_cast<std::uint16_t>(box.slots.size()));
        const bool direct = lands_directly(step);
        box.direct[{from.peer, from.slot, from.step}] = direct;
        if (direct ? places_.relayed(rank, step.chunk) && box.relays.emplace(step.chunk, box.bytes).second
                   : box.memory.emplace(slot.first->second, box.bytes).second)
          box.bytes += slot_bytes_;
      }
    const int gpu = gpus_[static_cast<std::size_t>(rank)];
    box.buffers = fabric.unicast_buffer(gpu, 0, layout_.mailboxes);
    if (box.bytes > 0) box.network = fabric.unicast_buffer(gpu, layout_.mailboxes, box.bytes);
    mailbox_bytes_ = std::max(mailbox_bytes_, box.bytes);
    boxes_.push_back(std::move(box));
  }

  /// The network address of a chunk at a rank.
  std::uint64_t address(int rank, int chunk) const {
    const Mailbox& box = boxes_[static_cast<std::size_t>(rank)];
    return places_.relayed(rank, chunk) ? box.network + box.relays.at(chunk) : box.buffers + place(rank, chunk);
  }

  /// Of a chunk in a rank's memory; of one that goes from mailbox to link it does not matter.
  std::uint64_t place(int rank, int chunk) const {
    if (!places_.relayed(rank, chunk)) return places_.address(rank, chunk);
    const Mailbox& box = boxes_[static_cast<std::size_t>(rank)];
    const auto relay = box.relays.find(chunk);
    return relay == box.relays.end() ? 0 : layout_.mailboxes + relay->second;
  }

  GpuCommand command(int rank, const FusedStep& step) const {
    GpuCommand c;
    const std::uint64_t here = place(rank, step.chunk);
    c.first_block = here / block_bytes;
    c.bytes = sized_.chunk_bytes[static_cast<std::size_t>(step.chunk)];
    c.block_count = blocks_of(c.bytes);
    c.reduce = step.reduce;
    c.store = step.store_local && !lands_directly(step);
    if (step.receive) {
      const std::uint16_t slot = slot_of(rank, step.receive->peer, step.receive->slot);
      const Mailbox& box = boxes_[static_cast<std::size_t>(rank)];
      c.receive = {gpu_of(step.receive->peer), slot, lands_directly(step) ? here : layout_.mailboxes + box.memory.at(slot)};
    }
    if (step.send) {
      const int peer = step.send->peer;
      const Mailbox& box = boxes_[static_cast<std::size_t>(peer)];
      const std::uint16_t slot = slot_of(peer, rank, step.send->slot);
      const bool direct = box.direct.at({rank, step.send->slot, step.send->step});
      c.send = {gpu_of(peer), slot, direct ? address(peer, step.chunk) : box.network + box.memory.at(slot)};
    }
    return c;
  }

  std::uint16_t gpu_of(int rank) const { return static_cast<std::uint16_t>(gpus_[static_cast<std::size_t>(rank)]); }
  std::uint16_t slot_of(int owner, int from, int slot) const {
    return boxes_[static_cast<std::size_t>(owner)].slots.at({from, slot});
  }

  MemoryLayout layout_;
  std::vector<int> gpus_;
  SizedSchedule sized_;
  ChunkPlaces places_;
  std::uint64_t slot_bytes_;
  FusedProgram program_;
  std::vector<Mailbox> boxes_;
  std::uint64_t mailbox_bytes_ = 0;
};

}  // namespace

Lowered lower_schedule(const JobSpec& job, Bytes message, SizedSchedule schedule, FabricManager& fabric) {
  const ScheduleLowering lowering(job, message, std::move(schedule), fabric);
  GpuProgram o;
  o.type = job.type;
  o.op = job.op;
  o.members = static_cast<unsigned>(job.ranks.size());
  Lowered lowered{std::vector<GpuProgram>(job.ranks.size(), o), lowering.memory_bytes()};
  const std::vector<int> group = group_of(job);
  for (std::size_t i = 0; i < group.size(); ++i)
    lowering.fill(lowered.operations[static_cast<std::size_t>(group[i])], static_cast<int>(i));
  return lowered;
}

}  // namespace tributary
