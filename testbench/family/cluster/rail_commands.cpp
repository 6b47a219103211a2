#include "testbench/family/cluster/rail_commands.h"

#include <numeric>
#include <set>
#include <utility>

#include "testbench/collective/algorithm/software.h"
#include "testbench/collective/schedule/acknowledged_sends.h"
#include "testbench/workload/chunk_commands.h"
#include "testbench/workload/endpoint_command.h"

namespace tributary {

RailCommands::RailCommands(JobSpec rail, std::size_t servers, Bytes message) {
  rail.ranks.resize(servers);
  std::iota(rail.ranks.begin(), rail.ranks.end(), 0);
  const collective::Schedule schedule =
      collective::software_schedule(rail.collective, rail.algorithm, static_cast<int>(servers), rail.root, message.value);
  const ChunkCommands commands(rail, message, proved_for(schedule, rail, message));
  std::vector<std::vector<bool>> acknowledged = collective::acknowledged_sends(commands.program());
  message_end_ = MemoryLayout::of(rail, message).mailboxes;
  mailbox_bytes_ = blocks_of(commands.memory_bytes() - message_end_) * block_bytes;
  for (std::size_t s = 0; s < servers; ++s) {
    HostCommands& made = commands_.emplace_back();
    for (const ChunkCommand& c : commands.of_rank(static_cast<int>(s)))
      made.commands.push_back(endpoint_command<NicCommand>(c, rail.ranks));
    made.acknowledged = std::move(acknowledged[s]);
    made.type = rail.type, made.op = rail.op;
  }
}

HostCommands RailCommands::of(std::size_t server, std::uint64_t message, std::uint64_t mailboxes,
                              std::uint16_t number) const {
  HostCommands made = commands_[server];
  const auto move = [&](std::uint64_t& address) {
    address = address < message_end_ ? message + address : mailboxes + address - message_end_;
  };
  for (NicCommand& c : made.commands) {
    move(c.chunk);
    move(c.from);
    if (c.send) move(c.send->address);
  }
  made.number = number;
  return made;
}

std::vector<std::size_t> RailCommands::receivers(std::size_t server) const {
  std::set<std::size_t> all;
  for (const NicCommand& c : commands_[server].commands)
    if (c.send) all.insert(c.send->nic);
  return {all.begin(), all.end()};
}

}  // namespace tributary
