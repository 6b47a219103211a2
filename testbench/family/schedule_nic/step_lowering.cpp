#include "testbench/family/schedule_nic/step_lowering.h"

#include <algorithm>
#include <map>
#include <utility>

#include "testbench/run/errors.h"
#include "testbench/workload/memory_layout.h"

namespace tributary {
namespace {

/// Addresses of an operation alone, in the memory of the step.
struct Placement {
  std::uint64_t message_bytes = 0;  ///< of the operation alone; mailboxes follow
  std::uint64_t message = 0, mailboxes = 0;

  std::uint64_t operator()(std::uint64_t address) const {
    return address < message_bytes ? message + address : mailboxes + (address - message_bytes);
  }
};

void move_to(NicProgram& program, const Placement& place) {
  for (ScheduleEntry& entry : program.table.entries) entry.start = place(entry.start);
  for (NicCommand& command : program.commands) {
    command.chunk = place(command.chunk);
    command.from = place(command.from);
    if (command.send) command.send->address = place(command.send->address);
  }
}

}  // namespace

LoweredStep lower_step(const JobSpec& job, const std::function<LoweredNetwork(Bytes)>& lowered) {
  constexpr std::size_t most = 65'535;
  const JobStep& step = *job.step;
  if (step.operations.size() > most)
    throw SetupError("--fidelity full: " + std::to_string(step.operations.size()) + " operations; legal: up to " +
                     std::to_string(most));
  if (step.programs.front().pipelined || step.streams > 1)
    throw SetupError("--fidelity full: a NIC has one operation at a time; legal: comm.issue=serial and comm.streams=1");
  LoweredStep all;
  all.work.resize(job.ranks.size());
  all.memory_bytes = blocks_of(step.bytes()) * block_bytes;
  std::map<std::uint64_t, LoweredNetwork> known;  // by bytes
  for (std::uint32_t o = 0; o < step.operations.size(); ++o) {
    const JobStep::Part& part = step.operations[o];
    auto found = known.find(part.bytes);
    if (found == known.end()) found = known.emplace(part.bytes, lowered(bytes(part.bytes))).first;
    const LoweredNetwork& alone = found->second;
    const std::uint64_t message_bytes = MemoryLayout::of(job, bytes(part.bytes)).mailboxes;
    const Placement place{message_bytes, part.first, all.memory_bytes};
    for (std::size_t r = 0; r < all.work.size(); ++r) {
      all.work[r].operations.push_back(alone.work[r]);
      move_to(all.work[r].operations.back(), place);
      all.work[r].places.emplace_back(part.first, o);
      if (alone.memory_bytes > message_bytes) all.work[r].places.emplace_back(all.memory_bytes, o);
    }
    all.memory_bytes += alone.memory_bytes - message_bytes;
  }
  for (std::size_t r = 0; r < all.work.size(); ++r) {
    all.work[r].tasks = step.programs[r];
    std::sort(all.work[r].places.begin(), all.work[r].places.end());
  }
  return all;
}

}  // namespace tributary
