#include "modules/rtl/core/combinator_beats.h"

#include <algorithm>

#include "modules/netreduce/core/combinator_pins.h"

namespace tributary {

CombinatorBeats::CombinatorBeats(const std::string& name, const RtlBlock& block, const AcceleratorParams& params)
    : codec_(name, block, params), unit_(name, combinator_pins(), block, params.clock.value) {}

/// The first beat counts, or a later one that is late: the port sends a beat in each clock.
CombinatorBeats::Answer CombinatorBeats::access(const CombineTransaction& t) {
  codec_.check(t);
  const unsigned beats = CombinatorCodec::beats(t);
  const BeatChannel& in = unit_.channel(CombinatorCodec::request);
  unit_.begin(t.now);
  ++id_;
  for (unsigned k = 0; k < beats; ++k) unit_.offer(CombinatorCodec::request, codec_.beat(in, t, k, id_), k);
  unit_.run(CombinatorCodec::answer, beats, "slot " + std::to_string(id_) + " of ring " + std::to_string(t.ring), 2);
  std::uint64_t done = 0;
  for (unsigned k = 0; k < beats; ++k) {
    codec_.take(unit_.channel(CombinatorCodec::answer), unit_.answer(k), t, k, id_);
    done = std::max(done, unit_.answered(k) - k);
  }
  const ClockDomain& clock = unit_.clock();
  return {clock.time_of(unit_.start()), clock.time_of(done), clock.cycles(unit_.free_at() - unit_.start() - 1 - beats)};
}

void CombinatorBeats::reset() {
  unit_.reset();
  id_ = 0;
}

}  // namespace tributary
