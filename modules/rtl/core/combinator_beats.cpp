#include "modules/rtl/core/combinator_beats.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "modules/netreduce/core/combinator_pins.h"

namespace tributary {
namespace {

enum Channel : unsigned { request, answer };
enum Request : unsigned { data, skip, ring, id, type, op };
enum Answered : unsigned { sum, answered_id };

}  // namespace

CombinatorBeats::CombinatorBeats(const std::string& name, const RtlBlock& block, const AcceleratorParams& params)
    : ranks_(static_cast<unsigned>(parameter(combinator_pins(), block, "RANKS"))),
      unit_(name, combinator_pins(), block, params.clock.value) {
  if (params.beat.value != beat_bytes)
    throw std::invalid_argument(name + ": a combinator in RTL has beats of 64 B (netreduce.accelerator.beat is " +
                                to_string(params.beat) + ")");
}

CombinatorBeats::Answer CombinatorBeats::access(const CombineTransaction& t) {
  require_element(unit_.name(), unit_.block(), t.type, t.op);
  if (t.operands > ranks_)
    throw std::invalid_argument(unit_.name() + ": the combinator in RTL has RANKS=" + std::to_string(ranks_) +
                                ", and a slot has " + std::to_string(t.operands) + " operands");
  const unsigned beats = (t.bytes + beat_bytes - 1) / beat_bytes;
  unit_.begin(t.now);
  send(t, beats);
  unit_.run(answer, beats, "slot " + std::to_string(id_) + " of ring " + std::to_string(t.ring), 2);
  const std::uint64_t done = receive(t, beats);
  const ClockDomain& clock = unit_.clock();
  return {clock.time_of(unit_.start()), clock.time_of(done), clock.cycles(unit_.free_at() - unit_.start() - 1 - beats)};
}

/// Operands that a slot lacks, and bytes beyond its end, hold the identity of the operation.
void CombinatorBeats::send(const CombineTransaction& t, unsigned beats) {
  const BeatChannel& channel = unit_.channel(request);
  ++id_;
  for (unsigned k = 0; k < beats; ++k) {
    RtlBeat beat = channel.make_beat();
    beat.last = k + 1 == beats;
    const unsigned at = k * beat_bytes, bytes = std::min(beat_bytes, t.bytes - at);
    std::uint8_t* const lanes = channel.bytes(beat, data);
    for (unsigned r = 0; r < ranks_ && t.operand != nullptr; ++r) {
      const unsigned filled = r < t.operands ? bytes : 0;
      if (filled != 0) std::memcpy(lanes + r * beat_bytes, t.operand[r] + at, filled);
      fill_identity(t.op, t.type, lanes + r * beat_bytes + filled, beat_bytes - filled);
    }
    channel.set(beat, skip, t.skip > at ? std::min(t.skip - at, beat_bytes) : 0);
    channel.set(beat, ring, t.ring);
    channel.set(beat, id, id_);
    channel.set(beat, type, static_cast<std::uint64_t>(t.type));
    channel.set(beat, op, static_cast<std::uint64_t>(t.op));
    unit_.offer(request, std::move(beat), k);
  }
}

/// Returns the edge of the first beat, or a later one if a beat is late: the port sends a beat in each clock.
std::uint64_t CombinatorBeats::receive(const CombineTransaction& t, unsigned beats) const {
  const BeatChannel& channel = unit_.channel(answer);
  std::uint64_t done = 0;
  for (unsigned k = 0; k < beats; ++k) {
    const RtlBeat& beat = unit_.answer(k);
    const std::uint64_t from_request = channel.get(beat, answered_id);
    unit_.require(from_request == id_,
                  "answers request " + std::to_string(from_request) + " in place of " + std::to_string(id_));
    unit_.require(beat.last == (k + 1 == beats),
                  "a sum of " + std::to_string(beats) + " beats with `m_last` at beat " + std::to_string(k));
    done = std::max(done, unit_.answered(k) - k);
    const unsigned at = k * beat_bytes, from = std::max(at, t.skip), to = std::min(at + beat_bytes, t.bytes);
    if (t.operand != nullptr && from < to) std::memcpy(t.sum + from, channel.bytes(beat, sum) + from - at, to - from);
  }
  return done;
}

void CombinatorBeats::reset() {
  unit_.reset();
  id_ = 0;
}

}  // namespace tributary
