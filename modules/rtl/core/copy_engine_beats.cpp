#include "modules/rtl/core/copy_engine_beats.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "modules/rtl/core/copy_engine_channels.h"
#include "modules/streams/core/copy_engine_pins.h"
#include "modules/streams/core/copy_hub.h"

namespace tributary {
namespace {

using namespace copy_engine_channels;

bool bit(const std::uint8_t* bits, unsigned at) { return (bits[at / 8] >> at % 8 & 1) != 0; }

template <class Number>
Number number_of(const std::uint8_t* numbers, unsigned at) {
  Number value;
  std::memcpy(&value, numbers + at * sizeof value, sizeof value);
  return value;
}

}  // namespace

CopyEngineBeats::CopyEngineBeats(const std::string& name, const RtlBlock& block, Tick clock, CopyEnginePort& port)
    : name_(name),
      model_(make_model(block, name)),
      runner_(name, copy_engine_pins(), block.parameters, *model_, ClockDomain(clock)),
      pipeline_(runner_),
      port_(port),
      links_(static_cast<unsigned>(parameter(copy_engine_pins(), block, "LANES"))) {}

// ---- beats

RtlBeat descriptor_beat(const BeatLayout& in, const CopyCommand& command) {
  RtlBeat beat = in.make_beat();
  in.set(beat, Descriptor::copy, command.copy);
  in.set(beat, Descriptor::source, command.source);
  in.set(beat, Descriptor::destination, command.destination);
  in.set(beat, Descriptor::size, command.bytes);
  in.set(beat, Descriptor::lanes, command.lanes);
  in.set(beat, Descriptor::payload, command.framing.payload);
  in.set(beat, Descriptor::overhead, command.framing.overhead);
  in.set(beat, Descriptor::burst, command.framing.burst);
  return beat;
}

std::vector<Burst> bursts_of(const BeatLayout& out, const RtlBeat& beat, unsigned lanes) {
  std::vector<Burst> bursts;
  for (unsigned l = 0; l < lanes; ++l) {
    if (!bit(out.bytes(beat, Bursts::of_lanes), l)) continue;
    Burst one;
    one.copy = static_cast<std::uint32_t>(out.get(beat, Bursts::of_copy));
    one.lane = static_cast<std::uint8_t>(l);
    one.last = bit(out.bytes(beat, Bursts::last_of_lanes), l);
    one.flits = number_of<std::uint16_t>(out.bytes(beat, Bursts::flits), l);
    one.bytes = number_of<std::uint32_t>(out.bytes(beat, Bursts::payloads), l);
    one.offset = number_of<std::uint64_t>(out.bytes(beat, Bursts::offsets), l);
    bursts.push_back(one);
  }
  return bursts;
}

std::string rest_of(const CopyCommand& command, std::uint64_t sent) {
  return "copy of stream " + std::to_string(command.stream) + " to gpu" + std::to_string(command.peer) + ": " +
         std::to_string(command.bytes - std::min(sent, command.bytes)) + " of " + std::to_string(command.bytes) +
         " B to send";
}

void require_copy(const std::string& name, const CopyCommand& command, unsigned lanes) {
  if (command.lanes > lanes)
    throw std::invalid_argument(name + ": a copy engine in RTL with LANES=" + std::to_string(lanes) +
                                " has a copy on more links (legal: LANES=" + std::to_string(command.lanes) + " or more)");
  if (command.reads) throw std::invalid_argument(name + ": a copy engine in RTL only writes (legal: blink.copies=write)");
}

/// Begins an event; returns its edge in the time of the block.
std::uint64_t CopyEngineBeats::begin(std::uint64_t edge) {
  latest_ = std::max(latest_, edge);
  return pipeline_.begin(latest_);
}

void CopyEngineBeats::offer(unsigned channel, RtlBeat beat, std::uint64_t edge) {
  beat.edge = edge;
  runner_.offer(channel, std::move(beat));
}

/// Offers the lanes of `which`, a bit each, at that edge.
void CopyEngineBeats::offer_lanes(unsigned channel, std::uint64_t which, std::uint64_t edge) {
  const BeatChannel& in = runner_.channel(channel);
  RtlBeat beat = in.make_beat();
  in.set(beat, 0, which);
  offer(channel, std::move(beat), begin(edge));
}

/// Last bursts that leave by the same edge are one beat.
void CopyEngineBeats::offer_left() {
  if (left_ != 0) offer_lanes(CopyChannel::left_of, std::exchange(left_, 0), left_at_);
}

/// Runs until the next beat of that channel; returns its number.
std::uint64_t CopyEngineBeats::answer(unsigned channel) {
  const std::uint64_t number = runner_.expected(channel);
  runner_.expect(channel, 1);
  runner_.run_until_answered(copy_name());
  runner_.show_idle();
  return number;
}

// ---- events

void CopyEngineBeats::submit(const CopyCommand& command, Tick now) {
  if (command_ != nullptr) throw std::logic_error("a copy engine has two copies");
  require_copy(name_, command, links_);
  command_ = &command;
  busy_(now, 1);
  copy_(now, command.bytes);
  lanes_.assign(command.lanes, {});
  lanes_left_ = command.lanes;

  offer(CopyChannel::descriptor, descriptor_beat(runner_.channel(CopyChannel::descriptor), command),
        begin(runner_.clock().edge_at(now)));
  const std::uint64_t requested = answer(CopyChannel::request);
  const BeatChannel& rd = runner_.channel(CopyChannel::request);
  const RtlBeat& asked = runner_.beat(CopyChannel::request, requested);
  require(rd.get(asked, Request::address) == command.source && rd.get(asked, Request::length) == command.bytes,
          "requests " + std::to_string(rd.get(asked, Request::length)) + " B at " +
              std::to_string(rd.get(asked, Request::address)) + " in place of " + std::to_string(command.bytes) + " B at " +
              std::to_string(command.source));
  const Tick when = time_of(asked.edge);
  const std::uint64_t clocks =
      runner_.clock().edge_at(when + port_.memory_latency(command, when)) - pipeline_.true_edge(asked.edge);
  RtlBeat arrived = runner_.channel(CopyChannel::data).make_beat();
  runner_.channel(CopyChannel::data).set(arrived, 0, command.copy);
  offer(CopyChannel::data, std::move(arrived), asked.edge + clocks + 1);
  command.lanes == 0 ? finish() : send_bursts();
}

void CopyEngineBeats::room(unsigned number, Tick now) {
  Lane& lane = lanes_.at(number);
  const std::uint64_t begun = lane.held.empty() ? 0 : lane.held.front() + 1;
  if (!lane.held.empty()) lane.held.pop_front();
  offer_left();
  offer_lanes(CopyChannel::room_of, std::uint64_t{1} << number, std::max(runner_.clock().edge_at(now), begun));
  send_bursts();
}

void CopyEngineBeats::left(unsigned number, Tick now) {
  const std::uint64_t edge = std::max(latest_, runner_.clock().edge_at(now));
  if (edge != left_at_) offer_left();
  left_ |= std::uint64_t{1} << number;
  left_at_ = edge;
  if (--lanes_left_ != 0) return;
  offer_left();
  finish();
}

// ---- answers

bool CopyEngineBeats::sends() const {
  return std::any_of(lanes_.begin(), lanes_.end(),
                     [](const Lane& l) { return !l.ended && l.held.size() < CopyHub::bursts_ahead; });
}

void CopyEngineBeats::send_bursts() {
  while (sends()) send(runner_.beat(CopyChannel::bursts, answer(CopyChannel::bursts)));
}

void CopyEngineBeats::send(const RtlBeat& beat) {
  const BeatChannel& out = runner_.channel(CopyChannel::bursts);
  const std::vector<Burst> sent = bursts_of(out, beat, links_);  // the links may answer at once
  for (const Burst& one : sent) {
    const unsigned l = one.lane;
    require(l < lanes_.size() && !lanes_[l].ended && lanes_[l].held.size() < CopyHub::bursts_ahead,
            "sends a burst on lane " + std::to_string(l) + ", which has no room or has ended");
    lanes_[l].held.push_back(pipeline_.true_edge(beat.edge));
    lanes_[l].ended = one.last;
    lanes_[l].sent += one.bytes;
  }
  const Tick ready = time_of(beat.edge);
  for (const Burst& one : sent) port_.send(one, ready);
}

void CopyEngineBeats::finish() {
  const std::uint64_t number = answer(CopyChannel::end_of);
  const RtlBeat& end = runner_.beat(CopyChannel::end_of, number);
  const std::uint64_t ended = runner_.channel(CopyChannel::end_of).get(end, 0);
  require(ended == command_->copy, "ends copy " + std::to_string(ended) + " in place of " + std::to_string(command_->copy));
  const Tick when = time_of(end.edge);
  busy_(when, 0);
  port_.done(*std::exchange(command_, nullptr), when);
}

void CopyEngineBeats::require(bool holds, const std::string& what) const {
  if (!holds) throw std::logic_error(name_ + " breaks the rule `answer`: " + what);
}

std::vector<std::string> CopyEngineBeats::waiting() const {
  if (command_ == nullptr) return {};
  std::uint64_t sent = 0;
  for (const Lane& lane : lanes_) sent += lane.sent;
  return {rest_of(*command_, sent)};
}

void CopyEngineBeats::reset() {
  pipeline_.reset();
  runner_.reset();
  command_ = nullptr;
  lanes_.clear();
  lanes_left_ = 0;
  latest_ = left_ = left_at_ = 0;
}

void CopyEngineBeats::describe(ProbeDirectory& directory, const std::string& prefix) {
  directory.add_signal(prefix + "busy", busy_, SignalKind::level, 1, "a copy is launched or on the wire");
  directory.add_signal(prefix + "copy", copy_, SignalKind::strobe, 48, "a copy begins (its bytes)");
  runner_.describe(directory, prefix + "rtl.");
}

}  // namespace tributary
