#include "modules/rtl/core/copy_engine_beats.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "modules/streams/core/copy_engine_pins.h"
#include "modules/streams/core/copy_hub.h"

namespace tributary {
namespace {

enum Channel : unsigned { descriptor, request, data, bursts, room_of, left_of, end_of };
enum Descriptor : unsigned { copy, source, destination, size, lanes, payload, overhead, burst };
enum Request : unsigned { address, length };
enum Bursts : unsigned { of_lanes, last_of_lanes, of_copy, flits, payloads, offsets };

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
      model_(block.make()),
      runner_(name, copy_engine_pins(), block.parameters, *model_, ClockDomain(clock)),
      pipeline_(runner_),
      port_(port),
      links_(static_cast<unsigned>(parameter(copy_engine_pins(), block, "LANES"))) {}

// ---- beats

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
  if (left_ != 0) offer_lanes(left_of, std::exchange(left_, 0), left_at_);
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
  if (command.lanes > links_)
    throw std::invalid_argument(name_ + ": a copy engine in RTL with LANES=" + std::to_string(links_) +
                                " has a copy on more links (legal: LANES=" + std::to_string(command.lanes) + " or more)");
  if (command.reads) throw std::invalid_argument(name_ + ": a copy engine in RTL only writes (legal: blink.copies=write)");
  command_ = &command;
  busy_(now, 1);
  copy_(now, command.bytes);
  lanes_.assign(command.lanes, {});
  lanes_left_ = command.lanes;

  const BeatChannel& in = runner_.channel(descriptor);
  RtlBeat beat = in.make_beat();
  in.set(beat, copy, command.copy);
  in.set(beat, source, command.source);
  in.set(beat, destination, command.destination);
  in.set(beat, size, command.bytes);
  in.set(beat, lanes, command.lanes);
  in.set(beat, payload, command.framing.payload);
  in.set(beat, overhead, command.framing.overhead);
  in.set(beat, burst, command.framing.burst);
  offer(descriptor, std::move(beat), begin(runner_.clock().edge_at(now)));
  const std::uint64_t requested = answer(request);
  const BeatChannel& rd = runner_.channel(request);
  const RtlBeat& asked = runner_.beat(request, requested);
  require(rd.get(asked, address) == command.source && rd.get(asked, length) == command.bytes,
          "requests " + std::to_string(rd.get(asked, length)) + " B at " + std::to_string(rd.get(asked, address)) +
              " in place of " + std::to_string(command.bytes) + " B at " + std::to_string(command.source));
  const Tick when = time_of(asked.edge);
  const std::uint64_t clocks =
      runner_.clock().edge_at(when + port_.memory_latency(command, when)) - pipeline_.true_edge(asked.edge);
  RtlBeat arrived = runner_.channel(data).make_beat();
  runner_.channel(data).set(arrived, 0, command.copy);
  offer(data, std::move(arrived), asked.edge + clocks + 1);
  command.lanes == 0 ? finish() : send_bursts();
}

void CopyEngineBeats::room(unsigned number, Tick now) {
  Lane& lane = lanes_.at(number);
  const std::uint64_t begun = lane.held.empty() ? 0 : lane.held.front() + 1;
  if (!lane.held.empty()) lane.held.pop_front();
  offer_left();
  offer_lanes(room_of, std::uint64_t{1} << number, std::max(runner_.clock().edge_at(now), begun));
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
  while (sends()) send(runner_.beat(bursts, answer(bursts)));
}

void CopyEngineBeats::send(const RtlBeat& beat) {
  const BeatChannel& out = runner_.channel(bursts);
  std::vector<Burst> sent;  // the links may answer at once
  for (unsigned l = 0; l < links_; ++l) {
    if (!bit(out.bytes(beat, of_lanes), l)) continue;
    require(l < lanes_.size() && !lanes_[l].ended && lanes_[l].held.size() < CopyHub::bursts_ahead,
            "sends a burst on lane " + std::to_string(l) + ", which has no room or has ended");
    Burst one;
    one.copy = static_cast<std::uint32_t>(out.get(beat, of_copy));
    one.lane = static_cast<std::uint8_t>(l);
    one.last = bit(out.bytes(beat, last_of_lanes), l);
    one.flits = number_of<std::uint16_t>(out.bytes(beat, flits), l);
    one.bytes = number_of<std::uint32_t>(out.bytes(beat, payloads), l);
    one.offset = number_of<std::uint64_t>(out.bytes(beat, offsets), l);
    lanes_[l].held.push_back(pipeline_.true_edge(beat.edge));
    lanes_[l].ended = one.last;
    lanes_[l].sent += one.bytes;
    sent.push_back(one);
  }
  const Tick ready = time_of(beat.edge);
  for (const Burst& one : sent) port_.send(one, ready);
}

void CopyEngineBeats::finish() {
  const std::uint64_t number = answer(end_of);
  const RtlBeat& end = runner_.beat(end_of, number);
  const std::uint64_t ended = runner_.channel(end_of).get(end, 0);
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
  return {"copy of stream " + std::to_string(command_->stream) + " to gpu" + std::to_string(command_->peer) + ": " +
          std::to_string(command_->bytes - std::min(sent, command_->bytes)) + " of " + std::to_string(command_->bytes) +
          " B to send"};
}

void CopyEngineBeats::reset() {
  runner_.reset();
  pipeline_.reset();
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
