#include "testbench/workload/chunk_commands.h"

#include <algorithm>
#include <string>

#include "modules/base/index.h"
#include "testbench/collective/schedule/direct_placement.h"
#include "testbench/collective/schedule/stepwise_proof.h"
#include "testbench/collective/schedule/symmetric_proof.h"

namespace tributary {
namespace {

using collective::FusedStep;

constexpr int transit = -1;  // replaces the peer in keys of boxes for relayed chunks

std::size_t operations(const collective::Schedule& schedule) {
  std::size_t sum = 0;
  for (const auto& program : schedule.programs) sum += program.size();
  return sum;
}

}  // namespace

SizedSchedule proved_for(const collective::Schedule& schedule, const JobSpec& job, Bytes message) {
  SizedSchedule fitting = sized(schedule, job, message);
  if (operations(fitting.schedule) != operations(schedule)) collective::verify_any(fitting.schedule);
  return fitting;
}

ChunkCommands::ChunkCommands(const JobSpec& job, Bytes message, SizedSchedule sized)
    : layout_(MemoryLayout::of(job, message)),
      sized_(std::move(sized)),
      places_(job, message, sized_.schedule),
      slot_bytes_(sized_.slot_bytes()),
      program_(fuse(sized_.schedule, false)) {
  if (!collective::holds_by_symmetry(program_)) {
    collective::verify_any(program_);
    verify_direct_placement(program_);
  }
  for (int r = 0; r < program_.ranks; ++r) index_rank(r);
}

std::vector<ChunkCommand> ChunkCommands::of_rank(int rank) const {
  std::vector<ChunkCommand> all;
  for (const FusedStep& step : program_.steps[at(rank)]) {
    ChunkCommand c;
    c.address = place(rank, step.chunk);
    c.bytes = sized_.chunk_bytes[at(step.chunk)];
    c.receives = step.receive.has_value();
    c.chunk = step.chunk;
    c.reduce = step.reduce;
    if (c.receives) c.peer = step.receive->peer, c.from = landing(rank, step);
    if (step.send) {
      const int peer = step.send->peer;
      const std::uint16_t command = receiver_.at({peer, rank, step.send->slot, step.send->step});
      c.send = ChunkCommand::Target{peer, command, landing(peer, program_.steps[at(peer)][command])};
    }
    for (const int before : step.after) c.after.push_back(static_cast<std::uint32_t>(before));
    all.push_back(std::move(c));
  }
  return all;
}

void ChunkCommands::index_rank(int rank) {
  std::map<std::pair<int, int>, std::uint64_t>& boxes = boxes_.emplace_back();
  const auto& steps = program_.steps[at(rank)];
  if (steps.size() > 0xFFFF)
    throw collective::ScheduleError("rank " + std::to_string(rank) + " has " + std::to_string(steps.size()) +
                                    " commands (legal: at most 65535)");
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (places_.relayed(rank, steps[i].chunk)) boxes.emplace(std::pair{transit, steps[i].chunk}, boxes.size() * slot_bytes_);
    if (!steps[i].receive) continue;
    const collective::MailboxSlot& from = *steps[i].receive;
    receiver_[{rank, from.peer, from.slot, from.step}] = static_cast<std::uint16_t>(i);
    if (!lands_directly(steps[i])) boxes.emplace(std::pair{from.peer, from.slot}, boxes.size() * slot_bytes_);
  }
  mailbox_bytes_ = std::max(mailbox_bytes_, boxes.size() * slot_bytes_);
}

std::uint64_t ChunkCommands::landing(int rank, const FusedStep& step) const {
  if (lands_directly(step)) return place(rank, step.chunk);
  return layout_.mailboxes + boxes_[at(rank)].at({step.receive->peer, step.receive->slot});
}

/// Returns the address of a chunk in a rank's memory.
std::uint64_t ChunkCommands::place(int rank, int chunk) const {
  if (!places_.relayed(rank, chunk)) return places_.address(rank, chunk);
  return layout_.mailboxes + boxes_[at(rank)].at({transit, chunk});
}

}  // namespace tributary
