#include "modules/rtl/core/combinator_codec.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "modules/base/element_limits.h"
#include "modules/netreduce/core/combinator_pins.h"

namespace tributary {
namespace {

enum Request : unsigned { data, skip, ring, id_field, type, op };
enum Answered : unsigned { sum, answered_id };

}  // namespace

CombinatorCodec::CombinatorCodec(std::string name, const RtlBlock& block, const AcceleratorParams& params)
    : name_(std::move(name)), block_(block), ranks_(static_cast<unsigned>(parameter(combinator_pins(), block, "RANKS"))) {
  if (params.beat.value != beat_bytes)
    throw std::invalid_argument(name_ + ": a combinator in RTL has beats of 64 B (netreduce.accelerator.beat is " +
                                to_string(params.beat) + ")");
}

void CombinatorCodec::check_elements(ElementType type, ReduceOp op, unsigned operands) const {
  require_element(name_, block_, type, op);
  if (operands > ranks_)
    throw UnfitBlock(name_ + ": the combinator in RTL has RANKS=" + std::to_string(ranks_) + ", and a slot has " +
                     std::to_string(operands) + " operands");
}

RtlBeat CombinatorCodec::beat(const BeatLayout& channel, const CombineTransaction& t, unsigned k, std::uint16_t id) const {
  RtlBeat beat = channel.make_beat();
  beat.last = k + 1 == beats(t);
  const unsigned at = k * beat_bytes, bytes = std::min(beat_bytes, t.bytes - at);
  std::uint8_t* const lanes = channel.bytes(beat, data);
  for (unsigned r = 0; r < ranks_ && t.operand != nullptr; ++r) {
    const unsigned filled = r < t.operands ? bytes : 0;
    if (filled != 0) std::memcpy(lanes + r * beat_bytes, t.operand[r] + at, filled);
    fill_identity(t.op, t.type, lanes + r * beat_bytes + filled, beat_bytes - filled);
  }
  channel.set(beat, skip, t.skip > at ? std::min(t.skip - at, beat_bytes) : 0);
  channel.set(beat, ring, t.ring);
  channel.set(beat, id_field, id);
  channel.set(beat, type, static_cast<std::uint64_t>(t.type));
  channel.set(beat, op, static_cast<std::uint64_t>(t.op));
  return beat;
}

void CombinatorCodec::take(const BeatLayout& channel, const RtlBeat& beat, const CombineTransaction& t, unsigned k,
                           std::uint16_t id) const {
  const std::uint64_t from_request = channel.get(beat, answered_id);
  require(from_request == id, "answers request " + std::to_string(from_request) + " in place of " + std::to_string(id));
  require(beat.last == (k + 1 == beats(t)),
          "a sum of " + std::to_string(beats(t)) + " beats with `m_last` at beat " + std::to_string(k));
  const unsigned at = k * beat_bytes, from = std::max(at, t.skip), to = std::min(at + beat_bytes, t.bytes);
  if (t.operand != nullptr && from < to) std::memcpy(t.sum + from, channel.bytes(beat, sum) + from - at, to - from);
}

ExpectedBeat CombinatorCodec::expected(const BeatLayout& channel, const CombineTransaction& t, unsigned k,
                                       std::uint16_t id) const {
  ExpectedBeat beat(channel);
  beat.beat.last = k + 1 == beats(t);
  beat.set(channel, answered_id, id);
  const unsigned at = k * beat_bytes, from = std::max(at, t.skip), to = std::min(at + beat_bytes, t.bytes);
  if (t.operand != nullptr && from < to) beat.set_bytes(channel, sum, from - at, t.sum + from, to - from);
  return beat;
}

void CombinatorCodec::require(bool holds, const std::string& what) const {
  if (!holds) throw std::logic_error(name_ + " breaks the rule `answer`: " + what);
}

}  // namespace tributary
