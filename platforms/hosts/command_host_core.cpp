#include "platforms/hosts/command_host_core.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace tributary {

void CommandHostCore::post(HostCommands program, Tick t0) {
  if (running_) throw std::logic_error("a program is posted while another one is running");
  pairs_ = std::move(program.pairs);
  acknowledged_ = std::move(program.acknowledged);
  local_peers_ = std::move(program.local_peers);
  type_ = program.type, op_ = program.op;
  number_ = program.number;
  if (program.commands.empty()) return done_(t0);
  running_ = true;
  engine_.post(std::move(program.commands), type_, t0);
  const auto later =
      std::stable_partition(early_.begin(), early_.end(), [&](const Early& e) { return e.program != number_; });
  for (auto e = later; e != early_.end(); ++e) engine_.received(e->command, t0);
  early_.erase(later, early_.end());
}

void CommandHostCore::commands_done(Tick when) {
  running_ = false;
  done_(when);
}

void CommandHostCore::completed(unsigned queue_pair, std::uint64_t id, Tick when) {
  Unacknowledged& sent = unacknowledged_[queue_pair];
  sent.bytes -= sent.each.front();
  sent.each.pop();
  if (!running_) return;
  if (program_of(id) == number_ && ends_with_ack(command_of(id))) engine_.sent(command_of(id), when);
  engine_.wake(when);
}

void CommandHostCore::arrived(unsigned, std::uint32_t immediate, Tick when) {
  if (running_ && program_of(immediate) == number_)
    engine_.received(command_of(immediate), when);
  else
    early_.push_back({program_of(immediate), command_of(immediate)});
}

void CommandHostCore::failed(unsigned, Tick when, const std::string& why) { failed_(when, why); }

std::vector<std::string> CommandHostCore::waiting() const {
  std::vector<std::string> lines = engine_.waiting();
  if (!early_.empty())
    lines.push_back("rank: " + std::to_string(early_.size()) + " chunks have arrived for operations that have not begun");
  return lines;
}

void CommandHostCore::reset() {
  engine_.reset();
  pairs_.clear();
  acknowledged_.clear();
  unacknowledged_.clear();
  early_.clear();
  number_ = 0;
  running_ = false;
  local_peers_.clear();
  idle_at_ = 0;
  additions_ = {};
}

void CommandHostCore::add(const NicCommand& c) {
  adds_local_ = local_peers_.count(c.peer) != 0;
  additions_.add(c.bytes, element_size(type_));
  if (memory_ != nullptr) apply(op_, type_, memory_ + c.chunk, memory_ + c.from, c.bytes);
}

void CommandHostCore::send(std::uint32_t command, std::uint64_t address, std::uint32_t bytes, const NicTarget& to,
                           Tick now) {
  WriteRequest request;
  request.id = label(command);
  request.local = address;
  request.remote = to.address;
  request.bytes = request.data_bytes = bytes;
  request.immediate_valid = true;
  request.immediate = label(to.command);
  const unsigned pair = pairs_.at(to.nic);
  nic_.post_write(pair, request, now);
  unacknowledged_[pair].bytes += bytes;
  unacknowledged_[pair].each.push(bytes);
  if (!ends_with_ack(command)) engine_.sent(command, now);
}

Tick CommandHostCore::add(Tick now, std::uint64_t elements, std::uint64_t, ReductionListener&) {
  if (adds_local_) return now;
  const double bytes = static_cast<double>(elements) * static_cast<double>(element_size(type_));
  idle_at_ = std::max(now, idle_at_) + static_cast<Tick>(bytes * 1e12 / static_cast<double>(rate_.value));
  return idle_at_;
}

}  // namespace tributary
