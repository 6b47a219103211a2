#include <algorithm>
#include <deque>
#include <stdexcept>
#include <utility>
#include <vector>

#include "modules/rtl/core/copy_engine_channels.h"
#include "modules/rtl/core/recorded_beats.h"
#include "modules/streams/core/copy_engine_pins.h"
#include "modules/streams/core/copy_hub.h"

namespace tributary {
namespace {

using namespace copy_engine_channels;

std::uint64_t number(const FieldValues& values, const std::string& key) { return values.find(key)->number; }

/// The beats of a copy are known when it is done. A lane sends a burst in each clock in which it holds fewer than two; a
/// burst begins to leave after its clock, one in each clock.
class RecordedCopies : public RecordedBeats {
 public:
  explicit RecordedCopies(const BlockPlace& place) : RecordedBeats(copy_engine_pins(), place.clock) {}

 private:
  struct Lane {
    std::deque<Burst> bursts;        // not sent
    std::deque<std::uint64_t> held;  // edges of those that have not begun to leave
  };
  struct Event {
    unsigned lane;
    Tick time;
  };

  void convert(const BlockAccess& access) override {
    const std::string& command = access.request.find("command")->text;
    if (command == "submit") {
      begin(access);
    } else {
      if (!copies_) throw std::invalid_argument("a burst leaves without a copy");
      const Event event{static_cast<unsigned>(number(access.request, "lane")), access.time};
      if (event.lane >= lanes_.size()) throw std::invalid_argument("a burst leaves on a lane that the copy does not use");
      (command == "room" ? room_ : left_).push_back(event);
    }
    for (unsigned n = 0;; ++n) {
      const std::string call = "call" + std::to_string(n) + ".";
      const FieldValue* const kind = access.answer.find(call + "kind");
      if (kind == nullptr) break;
      note(access.answer, call, kind->text);
    }
  }
  void begin(const BlockAccess& access) {
    if (copies_) throw std::invalid_argument("two copies at a time");
    if (number(access.request, "reads") != 0) throw std::invalid_argument("a copy that reads (legal: blink.copies=write)");
    if (number(access.request, "lanes") > parameter("LANES"))
      throw std::invalid_argument("a copy of " + std::to_string(number(access.request, "lanes")) +
                                  " lanes (legal: at most " + std::to_string(parameter("LANES")) + ")");
    copies_ = true;
    request_ = access.request;
    asked_ = access.time;
    lanes_.assign(number(access.request, "lanes"), {});
    sent_ = arrived_ = never;
    room_.clear();
    left_.clear();
  }
  void note(const FieldValues& answer, const std::string& call, const std::string& kind) {
    const Tick time = number(answer, call + "time");
    if (kind == "memory") {
      latency_ = number(answer, call + "latency");
      arrived_ = time + latency_;
    } else if (kind == "burst") {
      Burst burst;
      burst.copy = static_cast<std::uint32_t>(number(answer, call + "copy"));
      burst.lane = static_cast<std::uint8_t>(number(answer, call + "lane"));
      burst.last = number(answer, call + "last") != 0;
      burst.flits = static_cast<std::uint16_t>(number(answer, call + "flits"));
      burst.bytes = static_cast<std::uint32_t>(number(answer, call + "bytes"));
      burst.offset = number(answer, call + "offset");
      if (burst.lane >= lanes_.size()) throw std::invalid_argument("a burst on a lane that the copy does not use");
      lanes_[burst.lane].bursts.push_back(burst);
      sent_ = std::min(sent_, time);
    } else {
      end(time);
    }
  }

  void end(Tick done) {
    copies_ = false;
    if (arrived_ == never) throw std::invalid_argument("a copy without a request to the memory");
    const std::uint64_t start = send(0, CopyChannel::descriptor, edge_at(asked_), {descriptor()});
    // The data arrive a clock before the first burst, and the memory is asked for them by its latency before that.
    next_ = sent_ == never ? edge_at(arrived_) : edge_at(sent_);
    next_ = std::max(next_, start + 3 + clocks(latency_));
    expect(0, CopyChannel::request, next_ - 2 - clocks(latency_), {memory_request()});
    RtlBeat data = channel(CopyChannel::data).make_beat();
    channel(CopyChannel::data).set(data, 0, number(request_, "copy"));
    send(0, CopyChannel::data, next_ - 1, {std::move(data)});
    send_bursts();
    ExpectedBeat last(channel(CopyChannel::end_of));
    last.set(channel(CopyChannel::end_of), 0, number(request_, "copy"));
    expect(0, CopyChannel::end_of, edge_at(done), {std::move(last)});
  }
  void send_bursts() {
    std::uint64_t latest = 0;
    for (const Event& event : room_) {
      Lane& lane = lanes_[event.lane];
      while (lane.held.empty())
        if (!clock()) throw std::invalid_argument("a burst leaves before it is sent");
      latest = std::max({latest, edge_at(event.time), lane.held.front() + 1});
      while (next_ <= latest && clock()) {
      }
      latest = send(0, CopyChannel::room_of, latest, {lanes_beat(CopyChannel::room_of, std::uint64_t{1} << event.lane)});
      while (next_ <= latest && clock()) {
      }
      lane.held.pop_front();
      next_ = std::max(next_, latest + 1);
    }
    while (clock()) {
    }
    std::uint64_t lanes = 0, at = 0;
    const auto leave = [&] {
      if (lanes != 0) send(0, CopyChannel::left_of, at, {lanes_beat(CopyChannel::left_of, lanes)});
      lanes = 0;
    };
    for (const Event& event : left_) {
      const std::uint64_t edge = std::max({latest, at, edge_at(event.time)});
      if (edge != at) leave();
      lanes |= std::uint64_t{1} << event.lane;
      at = edge;
    }
    leave();
  }
  /// The bursts of a clock, one of each lane that can send. Returns false if none can.
  bool clock() {
    const BeatLayout& out = channel(CopyChannel::bursts);
    ExpectedBeat beat(out);
    std::uint64_t sends = 0;
    for (unsigned l = 0; l < lanes_.size(); ++l) {
      Lane& lane = lanes_[l];
      if (lane.bursts.empty() || lane.held.size() == CopyHub::bursts_ahead) continue;
      const Burst& burst = lane.bursts.front();
      sends |= std::uint64_t{1} << l;
      const std::uint8_t bit = static_cast<std::uint8_t>(1u << l % 8);
      if (burst.last) out.bytes(beat.beat, Bursts::last_of_lanes)[l / 8] |= bit;
      out.bytes(beat.mask, Bursts::last_of_lanes)[l / 8] |= bit;
      const auto put = [&](unsigned field, auto value) {
        beat.set_bytes(out, field, l * sizeof value, reinterpret_cast<const std::byte*>(&value), sizeof value);
      };
      put(Bursts::flits, std::uint16_t{burst.flits});
      put(Bursts::payloads, std::uint32_t{burst.bytes});
      put(Bursts::offsets, std::uint64_t{burst.offset});
      beat.set(out, Bursts::of_copy, burst.copy);
      lane.held.push_back(next_);
      lane.bursts.pop_front();
    }
    if (sends == 0) return false;
    beat.set(out, Bursts::of_lanes, sends);
    expect(0, CopyChannel::bursts, next_++, {std::move(beat)});
    return true;
  }

  RtlBeat descriptor() const { return descriptor_beat(channel(CopyChannel::descriptor), command()); }
  CopyCommand command() const {
    CopyCommand c{};
    c.copy = static_cast<decltype(c.copy)>(number(request_, "copy"));
    c.source = number(request_, "source");
    c.destination = number(request_, "destination");
    c.bytes = number(request_, "bytes");
    c.lanes = static_cast<decltype(c.lanes)>(number(request_, "lanes"));
    c.framing.payload = static_cast<decltype(c.framing.payload)>(number(request_, "payload"));
    c.framing.overhead = static_cast<decltype(c.framing.overhead)>(number(request_, "overhead"));
    c.framing.burst = static_cast<decltype(c.framing.burst)>(number(request_, "burst"));
    return c;
  }
  ExpectedBeat memory_request() const {
    const BeatLayout& out = channel(CopyChannel::request);
    ExpectedBeat beat(out);
    beat.set(out, Request::address, number(request_, "source"));
    beat.set(out, Request::length, number(request_, "bytes"));
    return beat;
  }
  RtlBeat lanes_beat(unsigned to, std::uint64_t lanes) const {
    RtlBeat beat = channel(to).make_beat();
    channel(to).set(beat, 0, lanes);
    return beat;
  }

  bool copies_ = false;
  FieldValues request_;  // request of the copy
  Tick asked_ = 0, latency_ = 0, arrived_ = never, sent_ = never;
  std::vector<Lane> lanes_;
  std::vector<Event> room_, left_;
  std::uint64_t next_ = 0;  // the next clock in which bursts can be sent
};

}  // namespace

std::unique_ptr<BlockBeats> recorded_copy_beats(const BlockPlace& place) {
  static const std::string suffix = ".gpu.copy_engine";
  const bool is_engine = place.block.size() > suffix.size() &&
                         place.block.compare(place.block.size() - suffix.size(), suffix.size(), suffix) == 0;
  return is_engine ? std::make_unique<RecordedCopies>(place) : nullptr;
}

}  // namespace tributary
