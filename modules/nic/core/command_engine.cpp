#include "modules/nic/core/command_engine.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "modules/base/waiting_since.h"

namespace tributary {

void CommandEngine::post(std::vector<NicCommand> commands, ElementType type, Tick t0) {
  commands_ = std::move(commands);
  type_ = type;
  states_.assign(commands_.size(), {});
  left_ = commands_.size();
  rows_.clear();
  for (std::uint32_t c = 0; c < commands_.size(); ++c) {
    states_[c].missing = 1 + (commands_[c].receives ? 1u : 0u) + static_cast<std::uint32_t>(commands_[c].after.size());
    for (const std::uint32_t before : commands_[c].after) states_[before].followers.push_back(c);
    if (commands_[c].row) {
      if (*commands_[c].row >= rows_.size()) rows_.resize(std::size_t{*commands_[c].row} + 1);
      Row& row = rows_[*commands_[c].row];
      row.commands.push_back(c);
      ++row.missing;
    }
    later(t0, c, What::start);
  }
}

// Events of one instant are handled in a fixed order, independent of the order of calls.
void CommandEngine::later(Tick when, std::uint32_t command, What what) {
  const auto less = [](const Event& a, const Event& b) {
    return std::tie(a.when, a.command, a.what) < std::tie(b.when, b.command, b.what);
  };
  events_.insert_sorted(less, when, command, what);
}

Tick CommandEngine::run_until(Tick horizon) {
  while (!events_.empty() && events_.front().when <= horizon) {
    const Event e = events_.front();
    events_.pop();
    switch (e.what) {
      case What::start:
      case What::received:
        satisfied(e.command, e.when);
        break;
      case What::added:
        --operands_;
        if (sums_.observed()) sums_.added(e.when, commands_[e.command].number, commands_[e.command].peer);
        pass_on(e.command, e.when);
        break;
      case What::sent:
        done(e.command, e.when);
        break;
      case What::room:
        send_held(e.when);
        break;
      case What::idle:  // rows of the table may be issued
        break;
    }
  }
  return next();
}

void CommandEngine::satisfied(std::uint32_t c, Tick now) {
  states_[c].since = now;
  if (--states_[c].missing == 0) begin(c, now);
}

void CommandEngine::begin(std::uint32_t c, Tick now) {
  const NicCommand& command = commands_[c];
  begun_(now, c);
  if (!command.reduce) return pass_on(c, now);
  listener_.add(command);
  if (sums_.observed()) sums_.queued(now, command.number, operands_of(command.number));
  ++operands_;
  const Tick added = reduction_.add(now, command.bytes / element_size(type_), command_chunk, *this);
  added == never ? adding_.push_back(c) : later(added, c, What::added);
}

void CommandEngine::added(Tick when) {
  later(when, adding_.front(), What::added);
  adding_.pop_front();
}

/// Returns the operands of the chunk's sum at this NIC.
std::size_t CommandEngine::operands_of(std::uint16_t number) const {
  std::size_t count = 1;
  for (const NicCommand& c : commands_)
    if (c.reduce && c.number == number) ++count;
  return count;
}

void CommandEngine::pass_on(std::uint32_t c, Tick now) {
  const NicCommand& command = commands_[c];
  if (!command.send) return done(c, now);
  if (command.row) {
    --rows_[*command.row].missing;
  } else if (listener_.room(*command.send)) {
    send(c, now);
  } else {
    states_[c].since = now;
    held_.push_back(c);
  }
}

void CommandEngine::send_held(Tick now) {
  std::vector<std::uint32_t> held;
  held.swap(held_);
  for (const std::uint32_t c : held)
    if (listener_.room(*commands_[c].send))
      send(c, now);
    else
      held_.push_back(c);
}

void CommandEngine::issue(std::uint32_t row, Tick now) {
  for (const std::uint32_t c : rows_.at(row).commands) send(c, now);
}

void CommandEngine::send(std::uint32_t c, Tick now) {
  const NicCommand& command = commands_[c];
  if (sums_.observed()) sums_.sent(now, command.number);
  const bool passes = command.receives && !command.reduce;
  listener_.send(c, passes ? command.from : command.chunk, command.bytes, *command.send, now);
}

void CommandEngine::done(std::uint32_t c, Tick now) {
  states_[c].over = true;
  for (const std::uint32_t follower : states_[c].followers) satisfied(follower, now);
  if (--left_ == 0) listener_.commands_done(now);
}

std::string CommandEngine::missing(std::uint32_t row) const {
  std::string text;
  for (const std::uint32_t c : rows_.at(row).commands)
    text += (text.empty() ? "command " : ", command ") + std::to_string(c);
  return text;
}

bool CommandEngine::awaits_chunk(std::uint32_t c) const {
  const std::vector<std::uint32_t>& after = commands_[c].after;
  return std::all_of(after.begin(), after.end(), [this](std::uint32_t before) { return states_[before].over; });
}

std::vector<std::string> CommandEngine::waiting() const {
  constexpr std::size_t most = 4;
  std::vector<std::string> lines;
  std::size_t more = 0;
  for (std::uint32_t c = 0; c < states_.size() && left_ != 0; ++c) {
    if (states_[c].missing == 0) continue;
    if (lines.size() == most || !awaits_chunk(c)) {
      ++more;
      continue;
    }
    const std::uint16_t peer = commands_[c].peer;
    lines.push_back("rank: command " + std::to_string(c) + " of " + std::to_string(states_.size()) + " waits for its chunk" +
                    (peer == ScheduleEntry::nil ? "" : " from endpoint " + std::to_string(peer)) +
                    waiting_since(states_[c].since));
  }
  if (!held_.empty())
    lines.push_back("rank: " + std::to_string(held_.size()) + " commands wait for room in the queues of interfaces" +
                    waiting_since(states_[held_.front()].since));
  if (more != 0) lines.push_back("rank: " + std::to_string(more) + (lines.empty() ? "" : " more") + " commands wait");
  return lines;
}

void CommandEngine::reset() {
  commands_.clear();
  states_.clear();
  rows_.clear();
  left_ = operands_ = 0;
  held_.clear();
  adding_.clear();
  events_.clear();
}

void CommandEngine::describe(ProbeDirectory& directory, const std::string& prefix) {
  directory.add_signal(prefix + "command", begun_, SignalKind::strobe, counter_bits, "a command begins (its number)");
}

}  // namespace tributary
