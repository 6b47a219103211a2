#include "testbench/family/schedule_nic/step_lowering.h"

#include <algorithm>
#include <map>
#include <utility>

#include "modules/base/index.h"
#include "testbench/run/errors.h"
#include "testbench/workload/step_operations.h"

namespace tributary {
namespace {

/// Converts addresses of an operation alone to addresses in the memory of the step.
struct Placement {
  std::uint64_t message_bytes = 0;  ///< bytes of the operation's message; its mailboxes follow
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

LoweredStep lower_step(const JobSpec& job,
                       const std::function<LoweredNetwork(const JobSpec& operation, Bytes message)>& lowered) {
  constexpr std::size_t most = 65'535;
  const JobStep& step = *job.step;
  if (step.operations.size() > most)
    throw SetupError("--fidelity full: " + std::to_string(step.operations.size()) + " operations; legal: up to " +
                     std::to_string(most));
  if (step.programs.front().pipelined || step.queues > 1)
    throw SetupError(
        "--fidelity full: a NIC has one operation at a time; legal: comm.issue=serial and comm.queues=1, or --fidelity "
        "isolated");
  for (const JobStep::Part& part : step.operations)
    if (part.send)
      throw SetupError("--fidelity full: a NIC has one operation at a time, and would wait for receives; legal: " +
                       std::string("--fidelity isolated"));
  LoweredStep all;
  all.work.resize(job.ranks.size());
  all.memory_bytes = blocks_of(step.bytes()) * block_bytes;
  std::vector<std::uint64_t> free(job.ranks.size(), all.memory_bytes);  // by rank: end of all mailboxes so far
  std::map<OperationKey, LoweredNetwork> known;
  for (const JobStep::Part& part : step.operations) {
    auto found = known.find(key_of(part));
    if (found == known.end()) found = known.emplace(key_of(part), lowered(operation_of(job, part), bytes(part.bytes))).first;
    const LoweredNetwork& alone = found->second;
    std::uint64_t mailboxes = 0;
    for (const int member : part.members) mailboxes = std::max(mailboxes, free[at(member)]);
    for (const int member : part.members) free[at(member)] = mailboxes + alone.memory_bytes - part.buffer_bytes;
    const Placement place{part.buffer_bytes, part.first, mailboxes};
    for (std::size_t i = 0; i < part.members.size(); ++i) {
      NicStep& work = all.work[at(part.members[i])];
      const auto number = static_cast<std::uint32_t>(work.operations.size());
      work.operations.push_back(alone.work[i]);
      move_to(work.operations.back(), place);
      work.places.emplace_back(part.first, number);
      if (alone.memory_bytes > part.buffer_bytes) work.places.emplace_back(mailboxes, number);
    }
  }
  all.memory_bytes = *std::max_element(free.begin(), free.end());
  for (std::size_t r = 0; r < all.work.size(); ++r) {
    all.work[r].tasks = step.programs[r];
    std::sort(all.work[r].places.begin(), all.work[r].places.end());
  }
  return all;
}

}  // namespace tributary
