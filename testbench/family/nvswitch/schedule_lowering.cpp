#include "testbench/family/nvswitch/schedule_lowering.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "modules/base/index.h"
#include "testbench/collective/schedule/acknowledged_sends.h"
#include "testbench/collective/schedule/direct_placement.h"
#include "testbench/collective/schedule/fused.h"
#include "testbench/collective/schedule/symbolic.h"
#include "testbench/workload/job_group.h"
#include "testbench/workload/memory_layout.h"
#include "testbench/workload/step_operations.h"

namespace tributary {
namespace {

using collective::FusedProgram;
using collective::FusedStep;

/// Memory and slots of one rank that peers write: mailbox slots, numbered as in their messages, and buffers.
struct Mailbox {
  std::map<std::pair<int, int>, std::uint16_t> slots;  // (peer, slot of the schedule) -> slot of the GPU
  std::map<std::uint16_t, std::uint64_t> memory;       // slot of the GPU -> offset among the mailboxes, if it needs memory
  std::map<int, std::uint64_t> relays;                 // chunk that is only relayed -> offset among the mailboxes
  std::uint64_t bytes = 0;                             // total size of the mailboxes
  std::uint64_t network = 0, buffers = 0;              // network addresses
  std::map<std::tuple<int, int, int>, bool> direct;  // (peer, slot, step) of a message: true if it goes to its chunk itself
};

class ScheduleLowering {
 public:
  /// Network addresses of a rank's mailboxes and buffers.
  struct Network {
    std::uint64_t mailboxes = 0, buffers = 0;
  };

  ScheduleLowering(const JobSpec& job, Bytes message, SizedSchedule schedule)
      : layout_(MemoryLayout::of(job, message)),
        gpus_(gpus_of(job, group_of(job))),
        sized_(std::move(schedule)),
        places_(job, message, sized_.schedule),
        slot_bytes_(sized_.slot_bytes()),
        program_(fuse(sized_.schedule)) {
    verify(sized_.schedule);
    verify(program_);
    verify_direct_placement(program_);
    for (int r = 0; r < sized_.schedule.ranks; ++r) add_mailbox(r);
    mailboxes_at_.assign(boxes_.size(), layout_.mailboxes);
  }

  int ranks() const { return sized_.schedule.ranks; }
  int gpu(int rank) const { return gpus_[static_cast<std::size_t>(rank)]; }
  std::uint64_t mailbox_bytes(int rank) const { return boxes_[static_cast<std::size_t>(rank)].bytes; }
  std::uint64_t slots(int rank) const { return boxes_[static_cast<std::size_t>(rank)].slots.size(); }

  /// Finds the messages between islands, which NICs carry.
  void find_islands(const FabricManager& fabric) {
    bool several = false;
    for (int r = 0; r < ranks(); ++r) {
      islands_.push_back(fabric.island_of(gpu(r)));
      several = several || islands_.back() != islands_.front();
    }
    if (several) acknowledged_ = collective::acknowledged_sends(stored_for_nics());
  }
  /// Registers the only message of its ranks.
  void register_at(FabricManager& fabric) {
    find_islands(fabric);
    for (int r = 0; r < ranks(); ++r) {
      Mailbox& box = boxes_[static_cast<std::size_t>(r)];
      box.buffers = fabric.unicast_buffer(gpu(r), 0, layout_.mailboxes);
      if (box.bytes > 0) box.network = fabric.unicast_buffer(gpu(r), layout_.mailboxes, box.bytes);
    }
  }
  /// Places one message of several: its data and mailboxes have these addresses in the memory of each rank, and its slots
  /// are numbered from these on.
  void place_at(std::uint64_t message, const std::vector<std::uint64_t>& mailboxes, const std::vector<Network>& networks,
                const std::vector<std::uint64_t>& first_slots) {
    message_at_ = message, mailboxes_at_ = mailboxes, first_slots_ = first_slots;
    for (std::size_t r = 0; r < boxes_.size(); ++r)
      boxes_[r].buffers = networks[r].buffers, boxes_[r].network = networks[r].mailboxes;
  }

  std::uint64_t memory_bytes() const { return layout_.mailboxes + mailbox_bytes_; }

  void fill(GpuProgram& o, int rank) const {
    const auto first = static_cast<std::uint32_t>(o.commands.size());
    const std::vector<FusedStep>& steps = program_.steps[static_cast<std::size_t>(rank)];
    for (std::size_t s = 0; s < steps.size(); ++s) {
      const FusedStep& step = steps[s];
      o.commands.push_back(command(rank, step));
      if (step.receive && crosses(rank, step.receive->peer)) o.commands.back().receive->nic_pair = 0;
      if (step.send && crosses(rank, step.send->peer)) send_by_nic(rank, s, o.commands.back());
      for (const int before : step.after) o.commands.back().after.push_back(first + static_cast<std::uint32_t>(before));
    }
  }

 private:
  void add_mailbox(int rank) {
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
    mailbox_bytes_ = std::max(mailbox_bytes_, box.bytes);
    boxes_.push_back(std::move(box));
  }

  /// Returns the network address of a chunk at a rank.
  std::uint64_t address(int rank, int chunk) const {
    const Mailbox& box = boxes_[static_cast<std::size_t>(rank)];
    return places_.relayed(rank, chunk) ? box.network + box.relays.at(chunk) : box.buffers + places_.address(rank, chunk);
  }

  /// Returns the address of a chunk in a rank's memory; without meaning for a chunk that goes from a mailbox to a link.
  std::uint64_t place(int rank, int chunk) const {
    if (!places_.relayed(rank, chunk)) return message_at_ + places_.address(rank, chunk);
    const Mailbox& box = boxes_[static_cast<std::size_t>(rank)];
    const auto relay = box.relays.find(chunk);
    return relay == box.relays.end() ? 0 : mailboxes_at_[static_cast<std::size_t>(rank)] + relay->second;
  }

  /// Returns the program in which every sum that a NIC sends replaces the own chunk.
  FusedProgram stored_for_nics() const {
    FusedProgram program = program_;
    for (int r = 0; r < ranks(); ++r)
      for (FusedStep& step : program.steps[at(r)])
        if (step.send && step.reduce && crosses(r, step.send->peer)) step.store_local = true;
    return program;
  }

  bool crosses(int rank, int peer) const { return islands_[at(rank)] != islands_[at(peer)]; }

  /// The NIC writes to the peer's memory, and reads from that of the rank: a sum replaces the own chunk, which is not read
  /// again if the schedule does not store it. The queue pair is not known yet.
  void send_by_nic(int rank, std::size_t number, GpuCommand& c) const {
    const FusedStep& step = program_.steps[at(rank)][number];
    const int peer = step.send->peer;
    const Mailbox& box = boxes_[at(peer)];
    const std::uint16_t slot = slot_of(peer, rank, step.send->slot);
    const bool direct = box.direct.at({rank, step.send->slot, step.send->step});
    c.send->nic_pair = 0;
    c.send->mailbox = direct ? place(peer, step.chunk) : mailboxes_at_[at(peer)] + box.memory.at(slot);
    c.store = c.store || c.reduce;
    c.acknowledged = acknowledged_[at(rank)][number] || (step.receive && !c.store && !lands_directly(step));
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
      c.receive = {gpu_of(step.receive->peer), numbered(rank, slot),
                   lands_directly(step) ? here : mailboxes_at_[static_cast<std::size_t>(rank)] + box.memory.at(slot)};
    }
    if (step.send) {
      const int peer = step.send->peer;
      const Mailbox& box = boxes_[static_cast<std::size_t>(peer)];
      const std::uint16_t slot = slot_of(peer, rank, step.send->slot);
      const bool direct = box.direct.at({rank, step.send->slot, step.send->step});
      c.send = {gpu_of(peer), numbered(peer, slot), direct ? address(peer, step.chunk) : box.network + box.memory.at(slot)};
    }
    return c;
  }

  std::uint16_t numbered(int owner, std::uint16_t slot) const {
    if (first_slots_.empty()) return slot;
    return static_cast<std::uint16_t>(first_slots_[static_cast<std::size_t>(owner)] + slot);
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
  std::uint64_t message_at_ = 0;                 // address in the memory of each rank
  std::vector<std::uint64_t> mailboxes_at_;      // addresses of the mailboxes, by rank
  std::vector<std::uint64_t> first_slots_;       // by rank; empty: 0
  std::vector<int> islands_;                     // by rank
  std::vector<std::vector<bool>> acknowledged_;  // [rank][step]: sends whose chunk changes before others prove their arrival
};

std::vector<GpuProgram> bare_programs(const JobSpec& job) {
  GpuProgram o;
  o.type = job.type;
  o.op = job.op;
  o.members = static_cast<unsigned>(job.ranks.size());
  return std::vector<GpuProgram>(job.ranks.size(), o);
}

}  // namespace

Lowered lower_schedule(const JobSpec& job, Bytes message, SizedSchedule schedule, FabricManager& fabric) {
  ScheduleLowering lowering(job, message, std::move(schedule));
  lowering.register_at(fabric);
  Lowered lowered{bare_programs(job), lowering.memory_bytes()};
  const std::vector<int> group = group_of(job);
  for (std::size_t i = 0; i < group.size(); ++i) {
    GpuProgram& program = lowered.operations[static_cast<std::size_t>(group[i])];
    program.message = {0, lowering.memory_bytes()};
    lowering.fill(program, static_cast<int>(i));
  }
  return lowered;
}

Lowered lower_step_schedules(const JobSpec& job,
                             const std::function<SizedSchedule(const JobSpec& operation, Bytes message)>& schedule,
                             FabricManager& fabric) {
  const JobStep& step = *job.step;
  const std::uint64_t buffer_bytes = blocks_of(step.bytes()) * block_bytes;
  std::vector<ScheduleLowering> proved;
  std::map<OperationKey, std::size_t> known;
  std::vector<std::size_t> lowering_of;  // index in `proved`, by operation
  const auto ranks = job.ranks.size();
  std::vector<std::uint64_t> mailbox_bytes(ranks, 0);
  for (const JobStep::Part& part : step.operations) {
    const auto [found, fresh] = known.emplace(key_of(part), proved.size());
    if (fresh) {
      const JobSpec one = operation_of(job, part);
      proved.emplace_back(one, bytes(part.bytes), schedule(one, bytes(part.bytes)));
      proved.back().find_islands(fabric);
    }
    lowering_of.push_back(found->second);
    for (std::size_t i = 0; i < part.members.size(); ++i)
      mailbox_bytes[at(part.members[i])] += proved[found->second].mailbox_bytes(static_cast<int>(i));
  }
  std::vector<ScheduleLowering::Network> networks;
  for (std::size_t r = 0; r < ranks; ++r) {
    const std::uint64_t buffers = fabric.unicast_buffer(job.ranks[r], 0, buffer_bytes);
    networks.push_back(
        {mailbox_bytes[r] > 0 ? fabric.unicast_buffer(job.ranks[r], buffer_bytes, mailbox_bytes[r]) : 0, buffers});
  }
  Lowered lowered{bare_programs(job), buffer_bytes + *std::max_element(mailbox_bytes.begin(), mailbox_bytes.end())};
  std::vector<std::uint64_t> slots(ranks, 0), mailboxes(ranks, buffer_bytes);
  for (std::size_t o = 0; o < step.operations.size(); ++o) {
    const JobStep::Part& part = step.operations[o];
    ScheduleLowering one = proved[lowering_of[o]];
    std::vector<ScheduleLowering::Network> here;
    std::vector<std::uint64_t> mailboxes_here, slots_here;
    for (const int member : part.members) {
      here.push_back({networks[at(member)].mailboxes, networks[at(member)].buffers + part.first});
      mailboxes_here.push_back(mailboxes[at(member)]), slots_here.push_back(slots[at(member)]);
    }
    one.place_at(part.first, mailboxes_here, here, slots_here);
    for (std::size_t i = 0; i < part.members.size(); ++i) {
      const std::size_t r = at(part.members[i]);
      const int rank = static_cast<int>(i);
      GpuProgram& program = lowered.operations[r];
      const auto first = static_cast<std::uint32_t>(program.commands.size());
      program.message = {0, lowered.memory_bytes};
      one.fill(program, rank);
      program.operations.push_back({first, static_cast<std::uint32_t>(program.commands.size()) - first});
      slots[r] += one.slots(rank);
      mailboxes[r] += one.mailbox_bytes(rank);
      networks[r].mailboxes += one.mailbox_bytes(rank);
      if (slots[r] > 0xFFFF) throw FabricError("the operations of the step need more than 65535 mailbox slots of a GPU");
    }
  }
  for (std::size_t r = 0; r < ranks; ++r) lowered.operations[r].tasks = step.programs[r];
  return lowered;
}

}  // namespace tributary
