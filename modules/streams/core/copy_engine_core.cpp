#include "modules/streams/core/copy_engine_core.h"

#include <algorithm>
#include <stdexcept>

#include "modules/base/host/wide.h"
#include "modules/streams/core/copy_hub.h"

namespace tributary {

void CopyEngineCore::submit(const CopyCommand& command, Tick now) {
  if (command_ != nullptr) throw std::logic_error("a copy engine has two copies");
  command_ = &command;
  busy_(now, 1);
  copy_(now, command.bytes);
  start_ = edge_at(now) + config_.launch;
  window_ = config_.window == 0 && command.reads ? read_window * command.lanes : config_.window;
  latency_ = command.reads ? 0 : port_.memory_latency(command, now);
  lanes_.clear();
  lanes_left_ = command.lanes, turn_ = 0, outstanding_ = 0, free_at_ = 0;
  for (unsigned lane = 0; lane < command.lanes; ++lane) lanes_.emplace_back(BurstCutter(command, lane));
  if (latency_ != never) begin();
}

void CopyEngineCore::late_data(Tick latency) {
  latency_ = latency;
  begin();
}

void CopyEngineCore::begin() {
  first_data_ = start_ + latency_;
  if (command_->lanes == 0) return finish(first_data_);
  request(start_);
}

/// Requests bursts, and sends those for which the hub has room.
void CopyEngineCore::request(Tick now) {
  const std::uint64_t before = outstanding_;
  for (unsigned idle = 0; idle < lanes_.size(); turn_ = (turn_ + 1) % static_cast<unsigned>(lanes_.size())) {
    Lane& lane = lanes_[turn_];
    const bool full = lane.data.size() + lane.held >= CopyHub::bursts_ahead && window_ == 0;
    if (lane.requests.empty() || full) {
      ++idle;
      continue;
    }
    const std::uint64_t next = lane.requests.next_bytes();
    if (window_ != 0 && outstanding_ != 0 && outstanding_ + next > window_) break;
    idle = 0;
    lane.requests.next();
    outstanding_ += next;
    lane.data.push(window_ == 0 ? first_data_ : now + latency_);
    send(turn_, now);
  }
  if (config_.window != 0 && outstanding_ != before) outstanding_probe_(now, outstanding_);
}

/// Sends the lane's next burst if it is requested and the hub has room.
void CopyEngineCore::send(unsigned number, Tick now) {
  Lane& lane = lanes_[number];
  if (lane.data.empty() || (lane.held == CopyHub::bursts_ahead && !command_->reads)) return;
  Tick ready = std::max(now, lane.data.front());
  lane.data.pop();
  const Burst burst = lane.bursts.next();
  if (config_.rate != 0) {
    ready = std::max(ready, free_at_);
    const Wide time = static_cast<Wide>(burst.bytes) * 1'000'000'000'000ull;
    free_at_ = ready + static_cast<Tick>((time + config_.rate - 1) / config_.rate);
  }
  ++lane.held;
  lane.leaving = burst.bytes;
  port_.send(burst, ready);
}

void CopyEngineCore::room(unsigned number, Tick now) {
  Lane& lane = lanes_.at(number);
  if (lane.held != 0) --lane.held;
  outstanding_ -= std::min<std::uint64_t>(outstanding_, command_->framing.payload * std::uint64_t{command_->framing.burst});
  send(number, now);
  request(now);
}

void CopyEngineCore::left(unsigned number, Tick now) {
  if (--lanes_left_ == 0) return finish(now);
  outstanding_ -= std::min(outstanding_, lanes_.at(number).leaving);
  request(now);
}

void CopyEngineCore::finish(Tick left) {
  const Tick when = edge_at(left);
  const CopyCommand* const command = command_;
  command_ = nullptr;
  if (outstanding_ != 0 && config_.window != 0) outstanding_probe_(when, 0);
  outstanding_ = 0;
  busy_(when, 0);
  port_.done(*command, when);
}

std::vector<std::string> CopyEngineCore::waiting() const {
  if (command_ == nullptr) return {};
  std::uint64_t left = 0;
  for (const Lane& lane : lanes_) left += lane.bursts.left();
  return {"copy of stream " + std::to_string(command_->stream) + (command_->reads ? " from gpu" : " to gpu") +
          std::to_string(command_->peer) + ": " + std::to_string(left) + " of " + std::to_string(command_->bytes) +
          (command_->reads ? " B to request" : " B to send")};
}

void CopyEngineCore::reset() {
  command_ = nullptr;
  lanes_.clear();
  lanes_left_ = 0;
  outstanding_ = 0;
}

void CopyEngineCore::describe(ProbeDirectory& directory, const std::string& prefix) {
  directory.add_signal(prefix + "busy", busy_, SignalKind::level, 1, "a copy is launched or on the wire");
  directory.add_signal(prefix + "copy", copy_, SignalKind::strobe, 48, "a copy begins (its bytes)");
  if (config_.window != 0)
    directory.add_signal(prefix + "outstanding", outstanding_probe_, SignalKind::level, 40,
                         "bytes requested that have not begun to leave");
}

}  // namespace tributary
