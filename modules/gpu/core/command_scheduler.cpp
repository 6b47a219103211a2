#include "modules/gpu/core/command_scheduler.h"

#include <algorithm>
#include <stdexcept>

#include "modules/base/waiting_since.h"

namespace tributary {

void CommandScheduler::load(const std::vector<GpuCommand>& commands, bool fence,
                            const std::vector<GpuOperation>& operations) {
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
  for (const GpuOperation& o : operations) operations_.push_back({o.first, o.count, o.count, 0});
  const auto all = static_cast<std::uint32_t>(commands_.size());
  if (operations.empty()) operations_.push_back({0, all, all, 0});
  operation_of_.resize(all);
  for (std::uint32_t o = 0; o < operations_.size(); ++o)
    for (std::uint32_t c = 0; c < operations_[o].count; ++c) operation_of_.at(operations_[o].first + c) = o;
}

void CommandScheduler::begin(std::uint32_t operation, Tick now) {
  Operation& o = operations_.at(operation);
  o.visible = now;
  if (o.count == 0) over_.push_back(operation);
  for (std::uint32_t c = o.first; c < o.first + o.count; ++c) satisfied(c, now);
}

void CommandScheduler::satisfied(std::uint32_t command, Tick now) {
  Progress& p = progress_[command];
  p.since = now;
  if (p.waits_for == 0 || --p.waits_for != 0) return;
  const GpuCommand& c = commands_[command];
  if (c.block_count == 0 || (!c.send && !c.store)) return finish(command, now);  // the command only waits
  if (c.by_nic() && !c.store) return messages_.push_back({command, now});
  Lane& lane = at(c.send && !c.by_nic() ? CommandLane::wire : CommandLane::local);
  lane.ready.push(command);
  if (lane.ready.size() == 1) lane.probe(now, command + 1);
}

void CommandScheduler::finish(std::uint32_t command, Tick now) {
  if (progress_[command].issued) return;
  progress_[command].issued = true;
  ++done_;
  if (--operations_[operation_of_[command]].left == 0) over_.push_back(operation_of_[command]);
  for (const std::uint32_t f : progress_[command].followers) satisfied(f, now);
}

void CommandScheduler::issued(CommandLane which, Tick now, Tick visible) {
  Lane& lane = at(which);
  const std::uint32_t command = lane.ready.front();
  lane.visible = std::max(lane.visible, visible);
  const bool by_nic = commands_[command].by_nic();
  if (commands_[command].send && !by_nic) ++progress_[command].unacknowledged;
  if (++lane.next < commands_[command].block_count) return;
  lane.next = 0;
  Tick& latest = operations_[operation_of_[command]].visible;
  const Tick stored = std::exchange(lane.visible, 0);
  latest = std::max(latest, stored);
  lane.ready.pop();
  lane.probe(now, lane.ready.empty() ? 0 : lane.ready.front() + 1);
  if (by_nic) return messages_.push_back({command, std::max(now, stored)});
  finish(command, now);
}

bool CommandScheduler::block_arrived(std::uint16_t slot) {
  Slot& s = slots_.at(slot);
  if (s.use >= s.uses.size())
    throw std::logic_error("mailbox slot " + std::to_string(slot) + " received an unexpected block");
  if (++s.arrived > expected(s)) throw std::logic_error("mailbox slot " + std::to_string(slot) + " was overrun");
  return !fence_ && s.arrived == expected(s);
}

bool CommandScheduler::flag_arrived(std::uint16_t slot) {
  const Slot& s = slots_.at(slot);
  if (s.use >= s.uses.size() || s.arrived != expected(s))
    throw std::logic_error("the flag of mailbox slot " + std::to_string(slot) + " overtook its data");
  return true;
}

void CommandScheduler::message_arrived(std::uint16_t slot) {
  Slot& s = slots_.at(slot);
  if (s.use >= s.uses.size() || s.arrived != 0)
    throw std::logic_error("mailbox slot " + std::to_string(slot) + " received an unexpected message");
  s.arrived = expected(s);
}

void CommandScheduler::seen(std::uint16_t slot, Tick now) {
  Slot& s = slots_.at(slot);
  const std::uint32_t command = s.uses[s.use++];
  s.arrived = 0;
  satisfied(command, now);
}

const GpuCommand* CommandScheduler::acknowledged(std::uint16_t gpu, std::uint16_t slot) {
  if (!fence_) return nullptr;
  const auto over = [](const Progress& p) { return p.issued && p.unacknowledged == 0; };
  while (unacknowledged_from_ < commands_.size() && over(progress_[unacknowledged_from_])) ++unacknowledged_from_;
  for (std::uint32_t c = unacknowledged_from_; c < commands_.size(); ++c) {
    Progress& p = progress_[c];
    if (p.unacknowledged == 0 || commands_[c].send->gpu != gpu || commands_[c].send->slot != slot) continue;
    return --p.unacknowledged == 0 && p.issued ? &commands_[c] : nullptr;
  }
  throw std::logic_error("unexpected ack for slot " + std::to_string(slot) + " of gpu" + std::to_string(gpu));
}

std::vector<std::string> CommandScheduler::waiting() const {
  std::vector<std::string> lines;
  for (std::size_t c = 0; c < commands_.size() && lines.size() < 4; ++c) {
    if (progress_[c].issued) continue;
    std::string line = "executor: command " + std::to_string(c) + " of " + std::to_string(commands_.size());
    const auto& receive = commands_[c].receive;
    if (receive && receive->slot < slots_.size())
      line += " waits for mailbox slot " + std::to_string(receive->slot) + " from gpu" + std::to_string(receive->gpu) +
              " (" + std::to_string(slots_[receive->slot].arrived) + " of " + std::to_string(commands_[c].block_count) +
              " blocks)";
    lines.push_back(line + waiting_since(progress_[c].since));
    break;  // the later ones wait for it
  }
  return lines;
}

void CommandScheduler::reset() {
  commands_.clear();
  progress_.clear();
  slots_.clear();
  operations_.clear();
  operation_of_.clear();
  over_.clear();
  messages_.clear();
  for (Lane& lane : lanes_) {
    lane.ready.clear();
    lane.next = 0;
    lane.visible = 0;
  }
  done_ = 0;
  unacknowledged_from_ = 0;
}

void CommandScheduler::describe(ProbeDirectory& directory, const std::string& prefix) {
  directory.add_signal(prefix + "command", at(CommandLane::wire).probe, SignalKind::level, counter_bits,
                       "command that sends, from 1; 0: idle");
  directory.add_signal(prefix + "local", at(CommandLane::local).probe, SignalKind::level, counter_bits,
                       "command that only stores, from 1; 0: idle");
}

}  // namespace tributary
