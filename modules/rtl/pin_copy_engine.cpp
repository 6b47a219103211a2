#include "modules/rtl/pin_copy_engine.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "modules/rtl/core/copy_engine_channels.h"
#include "modules/streams/core/copy_engine_pins.h"
#include "modules/streams/core/copy_hub.h"

namespace tributary {

using namespace copy_engine_channels;

PinCopyEngine::PinCopyEngine(const sc_core::sc_module_name& name, const PinBlock& block, const CopyParams& params)
    : CopyEngineModule(name),
      links_(static_cast<unsigned>(parameter(copy_engine_pins(), block.rtl, "LANES"))),
      port_("unit", copy_engine_pins(), block.rtl.parameters, params.interface_clock().value, block.make) {
  if (block.latency != 0)
    throw std::invalid_argument(std::string(this->name()) +
                                ": the latency of a copy depends on its memory and links (legal: no LATENCY)");
  PinUnit& pins = port_.unit();
  pins.watch(CopyChannel::request, true, [this](Tick when, const RtlBeat& beat) { requested(when, beat); });
  pins.watch(CopyChannel::bursts, true, [this](Tick when, const RtlBeat& beat) { sent(when, beat); });
  pins.watch(CopyChannel::end_of, false, [this](Tick when, const RtlBeat& beat) { ended(when, beat); });
  pins.keep_phase();
  port_.on_fall = [this] { fall(); };
  port_.before_edge = [this] {
    if (left_ != 0 && left_at_ <= port_.unit().runner().edge()) offer_left();
  };
}

// ---- events of the GPU

bool PinCopyEngine::submit(CopyCommand& command, Tick now) {
  if (command_ != nullptr) throw std::logic_error("a copy engine has two copies");
  require_copy(name(), command, links_);
  command_ = &command;
  busy_(now, 1);
  copy_(now, command.bytes);
  lanes_.assign(command.lanes, {});
  lanes_left_ = command.lanes;
  awaits_request_ = true;
  PinUnit& pins = port_.unit();
  offer(CopyChannel::descriptor, descriptor_beat(pins.channel(CopyChannel::descriptor), command), pins.next_edge_of(now));
  pins.drive();  // a clock that rests goes on at the edge of the descriptor
  arm();
  port_.schedule();
  return false;
}

void PinCopyEngine::room(const Burst& burst, Tick now) {
  Lane& lane = lanes_.at(burst.lane);
  const std::uint64_t begun = lane.held.empty() ? 0 : lane.held.front() + 1;
  if (!lane.held.empty()) lane.held.pop_front();
  if (left_ != 0) offer_left();
  offer_lanes(CopyChannel::room_of, std::uint64_t{1} << burst.lane, std::max(port_.unit().next_edge_of(now), begun));
  arm();
  port_.schedule();
}

void PinCopyEngine::left(const Burst& burst, Tick now) {
  const std::uint64_t edge = std::max(latest_, port_.unit().next_edge_of(now));
  if (left_ != 0 && edge != left_at_) offer_left();
  left_ |= std::uint64_t{1} << burst.lane;
  left_at_ = edge;
  --lanes_left_;
  if (lanes_left_ == 0) offer_left();
  arm();
  port_.schedule();
}

/// Last bursts that leave by the same edge are one beat.
void PinCopyEngine::offer_left() { offer_lanes(CopyChannel::left_of, std::exchange(left_, 0), left_at_); }

/// Offers the lanes of `which`, a bit each, at that edge.
void PinCopyEngine::offer_lanes(unsigned channel, std::uint64_t which, std::uint64_t edge) {
  const BeatChannel& in = port_.unit().channel(channel);
  RtlBeat beat = in.make_beat();
  in.set(beat, 0, which);
  offer(channel, std::move(beat), edge);
}

void PinCopyEngine::offer(unsigned channel, RtlBeat beat, std::uint64_t edge) {
  beat.edge = latest_ = progress_ = std::max(latest_, edge);
  port_.unit().offer(channel, std::move(beat));
}

// ---- beats of the block

void PinCopyEngine::requested(Tick when, const RtlBeat& beat) {
  PinUnit& pins = port_.unit();
  const BeatLayout& rd = pins.channel(CopyChannel::request);
  using Field = copy_engine_channels::Request;
  const std::uint64_t address = rd.get(beat, Field::address), bytes = rd.get(beat, Field::length);
  require(awaits_request_ && address == command_->source && bytes == command_->bytes,
          "requests " + std::to_string(bytes) + " B at " + std::to_string(address) + " in place of " +
              std::to_string(command_->bytes) + " B at " + std::to_string(command_->source));
  awaits_request_ = false;
  RtlBeat arrived = pins.channel(CopyChannel::data).make_beat();
  pins.channel(CopyChannel::data).set(arrived, 0, command_->copy);
  arrived.edge = progress_ = pins.clock().edge_at(when + request(*command_, when)) + 1;
  pins.offer(CopyChannel::data, std::move(arrived));
  arm();
}

void PinCopyEngine::sent(Tick when, const RtlBeat& beat) {
  const std::vector<Burst> bursts = bursts_of(port_.unit().channel(CopyChannel::bursts), beat, links_);
  for (const Burst& one : bursts) {
    require(one.lane < lanes_.size() && !lanes_[one.lane].ended && lanes_[one.lane].held.size() < CopyHub::bursts_ahead,
            "sends a burst on lane " + std::to_string(one.lane) + ", which has no room or has ended");
    Lane& lane = lanes_[one.lane];
    lane.held.push_back(beat.edge);
    lane.ended = one.last;
    lane.sent += one.bytes;
  }
  progress_ = beat.edge;
  arm();
  for (const Burst& one : bursts) send(one, when);
}

void PinCopyEngine::ended(Tick when, const RtlBeat& beat) {
  const std::uint64_t copy = port_.unit().channel(CopyChannel::end_of).get(beat, 0);
  require(copy == command_->copy, "ends copy " + std::to_string(copy) + " in place of " + std::to_string(command_->copy));
  require(lanes_left_ == 0, "ends copy " + std::to_string(copy) + " before its last burst has left");
  busy_(when, 0);
  const CopyCommand& command = *std::exchange(command_, nullptr);
  arm();
  done(command, when);
}

bool PinCopyEngine::sends() const {
  return !awaits_request_ && std::any_of(lanes_.begin(), lanes_.end(),
                                         [](const Lane& l) { return !l.ended && l.held.size() < CopyHub::bursts_ahead; });
}

void PinCopyEngine::arm() {
  PinUnit& pins = port_.unit();
  const bool copies = command_ != nullptr;
  pins.arm(CopyChannel::request, copies && awaits_request_ ? 1 : 0);
  pins.arm(CopyChannel::bursts, copies ? 2 : 0);  // one in each clock; their lanes are checked
  pins.arm(CopyChannel::end_of, copies ? 1 : 0);
}

void PinCopyEngine::fall() {
  arm();
  if (command_ == nullptr || !(awaits_request_ || sends() || lanes_left_ == 0)) return;
  if (port_.unit().runner().edge() > progress_ + EdgeRunner::patience)
    port_.unit().runner().fail("patience", "no answer to copy " + std::to_string(command_->copy) + " in " +
                                               std::to_string(EdgeRunner::patience) + " clocks");
}

void PinCopyEngine::require(bool holds, const std::string& what) const {
  if (!holds) throw std::logic_error(std::string(name()) + " breaks the rule `answer`: " + what);
}

// ---- reports

std::vector<std::string> PinCopyEngine::waiting() const {
  if (command_ == nullptr) return {};
  std::uint64_t sent = 0;
  for (const Lane& lane : lanes_) sent += lane.sent;
  return {rest_of(*command_, sent)};
}

void PinCopyEngine::reset() {
  port_.restart();
  command_ = nullptr;
  lanes_.clear();
  lanes_left_ = 0;
  awaits_request_ = false;
  latest_ = left_ = left_at_ = progress_ = 0;
}

void PinCopyEngine::describe(ProbeDirectory& directory) {
  const std::string prefix = std::string(name()) + ".";
  directory.add_signal(prefix + "busy", busy_, SignalKind::level, 1, "a copy is launched or on the wire");
  directory.add_signal(prefix + "copy", copy_, SignalKind::strobe, 48, "a copy begins (its bytes)");
  port_.unit().describe(directory, prefix + "rtl.");
}

}  // namespace tributary
