#include "platforms/netreduce/command_agent_core.h"

#include <algorithm>
#include <utility>

namespace tributary {

void CommandAgentCore::post(HostCommands program, Tick t0) {
  pairs_ = std::move(program.pairs);
  acknowledged_ = std::move(program.acknowledged);
  local_peers_ = std::move(program.local_peers);
  type_ = program.type, op_ = program.op;
  if (program.commands.empty()) return done_(t0);
  bytes_.clear();
  for (const NicCommand& c : program.commands) bytes_.push_back(c.bytes);
  engine_.post(std::move(program.commands), type_, t0);
}

void CommandAgentCore::completed(unsigned queue_pair, std::uint64_t id, Tick when) {
  const auto command = static_cast<std::uint32_t>(id);
  unacknowledged_[queue_pair] -= bytes_.at(command);
  if (ends_with_ack(command)) engine_.sent(command, when);
  engine_.wake(when);
}

void CommandAgentCore::arrived(unsigned, std::uint32_t immediate, Tick when) { engine_.received(immediate, when); }

void CommandAgentCore::failed(unsigned, Tick when, const std::string& why) { failed_(when, why); }

void CommandAgentCore::reset() {
  engine_.reset();
  pairs_.clear();
  acknowledged_.clear();
  unacknowledged_.clear();
  bytes_.clear();
  local_peers_.clear();
  idle_at_ = 0;
}

void CommandAgentCore::add(const NicCommand& c) {
  adds_local_ = local_peers_.count(c.peer) != 0;
  if (memory_ != nullptr) apply(op_, type_, memory_ + c.chunk, memory_ + c.from, c.bytes);
}

void CommandAgentCore::send(std::uint32_t command, std::uint64_t address, std::uint32_t bytes, const NicTarget& to,
                            Tick now) {
  WriteRequest request;
  request.id = command;
  request.local = address;
  request.remote = to.address;
  request.bytes = request.data_bytes = bytes;
  request.immediate_valid = true;
  request.immediate = to.command;
  const unsigned pair = pairs_.at(to.nic);
  nic_.post_write(pair, request, now);
  unacknowledged_[pair] += bytes;
  if (!ends_with_ack(command)) engine_.sent(command, now);
}

Tick CommandAgentCore::add(Tick now, std::uint64_t elements) {
  if (adds_local_) return now;
  const double bytes = static_cast<double>(elements) * static_cast<double>(element_size(type_));
  idle_at_ = std::max(now, idle_at_) + static_cast<Tick>(bytes * 1e12 / static_cast<double>(rate_.value));
  return idle_at_;
}

}  // namespace tributary
