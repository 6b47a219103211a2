#include "testbench/family/schedule_nic/step_lowering.h"

#include <algorithm>
#include <map>
#include <utility>

#include "modules/base/index.h"
#include "testbench/run/errors.h"
#include "testbench/workload/step_operations.h"
#include "testbench/workload/step_places.h"

namespace tributary {
namespace {

void move_to(NicProgram& program, const OperationPlace& place) {
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
  StepPlaces places(job);
  std::map<OperationKey, LoweredNetwork> known;
  for (const JobStep::Part& part : step.operations) {
    auto found = known.find(key_of(part));
    if (found == known.end()) found = known.emplace(key_of(part), lowered(operation_of(job, part), bytes(part.bytes))).first;
    const LoweredNetwork& alone = found->second;
    const std::uint64_t mailboxes = places.reserve(part.members, alone.memory_bytes - part.buffer_bytes);
    const OperationPlace place{part.buffer_bytes, part.first, mailboxes};
    for (std::size_t i = 0; i < part.members.size(); ++i) {
      NicStep& work = all.work[at(part.members[i])];
      const auto number = static_cast<std::uint32_t>(work.operations.size());
      work.operations.push_back(alone.work[i]);
      move_to(work.operations.back(), place);
      work.places.emplace_back(part.first, number);
      if (alone.memory_bytes > part.buffer_bytes) work.places.emplace_back(mailboxes, number);
    }
  }
  all.memory_bytes = places.bytes();
  for (std::size_t r = 0; r < all.work.size(); ++r) {
    all.work[r].tasks = step.programs[r];
    std::sort(all.work[r].places.begin(), all.work[r].places.end());
  }
  return all;
}

}  // namespace tributary
