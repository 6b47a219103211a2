#include "modules/netreduce/core/sum_stage.h"

#include <algorithm>

namespace tributary {

void SumStage::clear() {
  rings_.clear();
  free_at_.clear();
}

void SumStage::add(const AggregationRing& ring, std::uint32_t slots) {
  rings_.push_back({&ring, std::vector<Tick>(slots), 0});
  free_at_.resize(params_.combinators.value_or(static_cast<std::uint32_t>(rings_.size())));
}

void SumStage::stored(unsigned ring, std::uint32_t slot, Tick when) {
  Tick& at = rings_[ring].operands_at[slot];
  at = std::max(at, when);
}

Tick& SumStage::unit_of(unsigned ring) { return free_at_[Combinator::unit_of(params_, ring)]; }

Tick SumStage::combine(const SlotCommit& c, std::uint32_t slot) {
  Ring& ring = rings_[c.ring];
  const Tick ready = clock_.edge(std::max(c.when, ring.operands_at[slot]));
  Tick& free_at = unit_of(c.ring);
  CombineTransaction t;
  t.ring = c.ring;
  t.now = clock_.edge(std::max(ready, free_at));
  t.skip = header_bytes(c.offset);
  t.type = ring.config->type;
  t.op = ring.config->op;
  storage_.read_operands(c.ring, slot, t);
  // A slot of empty packets passes no adders. Its results leave after the sums in the adders, or their receivers would see a
  // gap.
  if (t.operands == 0) return latest(ring, ready + clock_.cycles(read_cycles));
  const Tick latency = combinator_.access(t);
  free_at = t.now + clock_.cycles(Combinator::slot_cycles(params_, t.bytes)) + t.timing.interval;
  return latest(ring, clock_.edge(t.now + clock_.cycles(read_cycles) + t.reading + latency));
}

}  // namespace tributary
