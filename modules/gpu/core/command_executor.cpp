#include "modules/gpu/core/command_executor.h"

#include <algorithm>
#include <stdexcept>

namespace tributary {

void CommandExecutor::load(const std::vector<GpuCommand>& commands, bool fence) {
  reset();
  commands_ = commands;
  fence_ = fence;
  progress_.resize(commands_.size());
  for (std::uint32_t c = 0; c < commands_.size(); ++c) {
    Progress& p = progress_[c];
    p.waits_for = static_cast<std::uint32_t>(commands_[c].after.size()) + 1;
    for (const std::uint32_t before : commands_[c].after) progress_.at(before).followers.push_back(c);
    if (!commands_[c].receive || commands_[c].block_count == 0) continue;
    ++p.waits_for;
    const std::uint16_t slot = commands_[c].receive->slot;
    if (slot >= slots_.size()) slots_.resize(slot + 1u);
    slots_[slot].uses.push_back(c);
  }
}

void CommandExecutor::start(Tick now) {
  visible_ = now;
  for (std::uint32_t c = 0; c < commands_.size(); ++c) satisfied(c, now);
}

void CommandExecutor::satisfied(std::uint32_t command, Tick now) {
  Progress& p = progress_[command];
  if (p.waits_for == 0 || --p.waits_for != 0) return;
  const GpuCommand& c = commands_[command];
  if (c.block_count == 0 || (!c.send && !c.store)) return finish(command, now);  // nothing to do but to wait
  ready_.push(command);
  if (ready_.size() == 1) command_probe_(now, command + 1);
}

void CommandExecutor::finish(std::uint32_t command, Tick now) {
  if (progress_[command].issued) return;
  progress_[command].issued = true;
  ++done_;
  for (const std::uint32_t f : progress_[command].followers) satisfied(f, now);
}

void CommandExecutor::issued(Tick now, Tick visible) {
  const std::uint32_t command = ready_.front();
  visible_ = std::max(visible_, visible);
  if (commands_[command].send) ++progress_[command].unacknowledged;
  if (++next_ < commands_[command].block_count) return;
  next_ = 0;
  ready_.pop();
  command_probe_(now, ready_.empty() ? 0 : ready_.front() + 1);
  finish(command, now);
}

bool CommandExecutor::block_arrived(std::uint16_t slot) {
  Slot& s = slots_.at(slot);
  if (s.use >= s.uses.size()) throw std::logic_error("a block came into mailbox slot " + std::to_string(slot) + " unasked");
  if (++s.arrived > expected(s)) throw std::logic_error("mailbox slot " + std::to_string(slot) + " was overrun");
  return !fence_ && s.arrived == expected(s);
}

bool CommandExecutor::flag_arrived(std::uint16_t slot) {
  const Slot& s = slots_.at(slot);
  if (s.use >= s.uses.size() || s.arrived != expected(s))
    throw std::logic_error("the flag of mailbox slot " + std::to_string(slot) + " overtook its data");
  return true;
}

void CommandExecutor::seen(std::uint16_t slot, Tick now) {
  Slot& s = slots_.at(slot);
  const std::uint32_t command = s.uses[s.use++];
  s.arrived = 0;
  satisfied(command, now);
}

const GpuCommand* CommandExecutor::acknowledged(std::uint16_t gpu, std::uint16_t slot) {
  if (!fence_) return nullptr;
  const auto over = [](const Progress& p) { return p.issued && p.unacknowledged == 0; };
  while (unacknowledged_from_ < commands_.size() && over(progress_[unacknowledged_from_])) ++unacknowledged_from_;
  for (std::uint32_t c = unacknowledged_from_; c < commands_.size(); ++c) {
    Progress& p = progress_[c];
    if (p.unacknowledged == 0 || commands_[c].send->gpu != gpu || commands_[c].send->slot != slot) continue;
    return --p.unacknowledged == 0 && p.issued ? &commands_[c] : nullptr;
  }
  throw std::logic_error("an ack for slot " + std::to_string(slot) + " of gpu" + std::to_string(gpu) + " came unasked");
}

std::vector<std::string> CommandExecutor::waiting() const {
  std::vector<std::string> lines;
  for (std::size_t c = 0; c < commands_.size() && lines.size() < 4; ++c) {
    if (progress_[c].issued) continue;
    std::string line = "executor: command " + std::to_string(c) + " of " + std::to_string(commands_.size());
    const auto& receive = commands_[c].receive;
    if (receive && receive->slot < slots_.size())
      line += " waits for mailbox slot " + std::to_string(receive->slot) + " from gpu" + std::to_string(receive->gpu) +
              " (" + std::to_string(slots_[receive->slot].arrived) + " of " + std::to_string(commands_[c].block_count) +
              " blocks)";
    lines.push_back(line);
    break;  // the others wait behind it
  }
  return lines;
}

void CommandExecutor::reset() {
  commands_.clear();
  progress_.clear();
  slots_.clear();
  ready_.clear();
  next_ = done_ = 0;
  unacknowledged_from_ = 0;
  visible_ = 0;
}

void CommandExecutor::describe(ProbeDirectory& directory, const std::string& prefix) {
  directory.add_signal(prefix + "command", command_probe_, SignalKind::level, 16, "command that issues, from 1; 0 idle");
}

}  // namespace tributary
