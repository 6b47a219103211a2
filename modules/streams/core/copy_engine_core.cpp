#include "modules/streams/core/copy_engine_core.h"

#include <stdexcept>

#include "modules/streams/core/copy_hub.h"

namespace tributary {

void CopyEngineCore::submit(const CopyCommand& command, Tick now) {
  if (command_ != nullptr) throw std::logic_error("a copy engine has two copies");
  command_ = &command;
  busy_(now, 1);
  copy_(now, command.bytes);
  const Tick start = now + launch_ + port_.memory_latency(command, now);
  lanes_.clear();
  lanes_left_ = command.lanes;
  for (unsigned lane = 0; lane < command.lanes; ++lane) lanes_.emplace_back(command, lane);
  if (command.lanes == 0) return finish(start);
  for (BurstCutter& lane : lanes_)
    for (unsigned ahead = 0; ahead < CopyHub::bursts_ahead && !lane.empty(); ++ahead) port_.send(lane.next(), start);
}

void CopyEngineCore::room(unsigned lane, Tick now) {
  if (!lanes_.at(lane).empty()) port_.send(lanes_[lane].next(), now);
}

void CopyEngineCore::left(Tick now) {
  if (--lanes_left_ == 0) finish(now);
}

void CopyEngineCore::finish(Tick when) {
  const CopyCommand* const command = command_;
  command_ = nullptr;
  busy_(when, 0);
  port_.done(*command, when);
}

std::vector<std::string> CopyEngineCore::waiting() const {
  if (command_ == nullptr) return {};
  std::uint64_t left = 0;
  for (const BurstCutter& lane : lanes_) left += lane.left();
  return {"copy of stream " + std::to_string(command_->stream) + " to gpu" + std::to_string(command_->peer) + ": " +
          std::to_string(left) + " of " + std::to_string(command_->bytes) + " B to send"};
}

void CopyEngineCore::reset() {
  command_ = nullptr;
  lanes_.clear();
  lanes_left_ = 0;
}

void CopyEngineCore::describe(ProbeDirectory& directory, const std::string& prefix) {
  directory.add_signal(prefix + "busy", busy_, SignalKind::level, 1, "a copy is launched or on the wire");
  directory.add_signal(prefix + "copy", copy_, SignalKind::strobe, 48, "a copy begins (its bytes)");
}

}  // namespace tributary
