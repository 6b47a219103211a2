#include "modules/netreduce/core/sum_stage.h"

#include <algorithm>

namespace tributary {

void SumStage::clear() {
  for (Ring& ring : rings_)
    for (const Late& sum : ring.late) sum.commit.frame->release();
  rings_.clear();
  free_at_.clear();
}

void SumStage::add(const AggregationRing& ring, std::uint32_t slots) {
  rings_.push_back({&ring, std::vector<Tick>(slots), 0, {}});
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
  if (t.operands == 0) {
    const Tick value_at = ready + clock_.cycles(read_cycles);
    return ring.late.empty() ? latest(ring, value_at) : wait(ring, {Late::Kind::empty, 0, 0, value_at});
  }
  if (answers_ != nullptr) t.late.listener = answers_, t.late.ticket = answers_->count();
  const Tick latency = combinator_.access(t);
  free_at = t.now + clock_.cycles(Combinator::slot_cycles(params_, t.bytes)) + t.timing.interval;
  if (__builtin_expect(t.late.part != nullptr, 0)) {
    deferred_ = true;
    answers_->defer(*t.late.part, t.now, *this, t.late.data_follow);
    if (t.late.data_follow) storage_.sum_follows(t.late.ticket, t.sum);
    return wait(ring, {Late::Kind::added, t.late.ticket, t.reading, never});
  }
  const Tick value_at = clock_.edge(t.now + clock_.cycles(read_cycles) + t.reading + latency);
  if (__builtin_expect(!ring.late.empty(), 0)) return wait(ring, {Late::Kind::added, t.late.ticket, t.reading, value_at});
  return latest(ring, value_at);
}

void SumStage::keep(const SlotCommit& c, const StateRecord::Verdict& v) {
  Late& sum = rings_[c.ring].late.back();
  sum.commit = c;
  sum.verdict = v;
  c.frame->acquire();
}

void SumStage::answered(Ticket ticket, Tick when) {
  for (Ring& ring : rings_)
    for (Late& sum : ring.late) {
      if (sum.kind != Late::Kind::added || sum.value_at != never || sum.ticket != ticket) continue;
      sum.value_at = clock_.edge(when + sum.reading);
      return pass_on(ring);
    }
}

/// Passes on all sums of the ring up to the first that is not known.
void SumStage::pass_on(Ring& ring) {
  while (!ring.late.empty() && ring.late.front().value_at != never) {
    const Late sum = ring.late.front();
    ring.late.pop_front();
    const bool repeats = sum.kind == Late::Kind::again;
    storage_.frame_sum_of(sum.ticket);
    if (sum.kind == Late::Kind::header)
      storage_.store_kept_header(sum.commit, sum.verdict.slot);
    else
      listener_->late_sum(sum.commit, sum.verdict, repeats ? again(ring, sum.commit) : latest(ring, sum.value_at), !repeats);
    sum.commit.frame->release();
  }
  storage_.frame_sum_of(0);
}

bool SumStage::holds(const Ring& ring, std::uint32_t slot) {
  return std::any_of(ring.late.begin(), ring.late.end(), [&](const Late& sum) { return sum.verdict.slot == slot; });
}

void SumStage::keep_header(const SlotCommit& c, std::uint32_t slot) {
  Ring& ring = rings_[c.ring];
  ring.late.push_back({Late::Kind::header, 0, 0, 0});
  StateRecord::Verdict v;
  v.slot = slot;
  keep(c, v);
  storage_.keep_header(c, slot);
}

std::size_t SumStage::kept() const {
  std::size_t sums = 0;
  for (const Ring& ring : rings_)
    for (const Late& sum : ring.late) sums += sum.kind != Late::Kind::header;
  return sums;
}

}  // namespace tributary
