#include "modules/netreduce/core/sum_stage.h"

#include <algorithm>

namespace tributary {

void SumStage::clear() {
  for (Ring& ring : rings_)
    for (const Late& sum : ring.late) sum.commit.frame->release();
  rings_.clear();
  free_at_.clear();
  starts_.clear();
}

void SumStage::add(const AggregationRing& ring, std::uint32_t slots) {
  rings_.push_back({&ring, std::vector<Tick>(slots), 0, {}});
  free_at_.resize(params_.combinators.value_or(static_cast<std::uint32_t>(rings_.size())));
}

Tick& SumStage::unit_of(unsigned ring) { return free_at_[Combinator::unit_of(params_, ring)]; }

CombineTransaction SumStage::request_of(const SlotCommit& c, Tick now) const {
  CombineTransaction t;
  t.ring = c.ring;
  t.now = now;
  t.skip = header_bytes(c.offset);
  t.type = rings_[c.ring].config->type;
  t.op = rings_[c.ring].config->op;
  return t;
}

/// Lets the operands enter their unit. Returns the time of the sum without that of reading; `never` if it is not known.
[[gnu::always_inline]] inline Tick SumStage::add(CombineTransaction& t) {
  if (answers_ != nullptr) t.late.listener = answers_, t.late.ticket = answers_->count();
  const Tick latency = combinator_.access(t);
  Tick& free_at = unit_of(t.ring);
  free_at = std::max(free_at, t.now + clock_.cycles(Combinator::slot_cycles(params_, t.bytes)) + t.timing.interval);
  if (__builtin_expect(t.late.part == nullptr, 1)) return t.now + clock_.cycles(read_cycles) + latency;
  await_sum(t);
  return never;
}

void SumStage::await_sum(const CombineTransaction& t) {
  deferred_ = true;
  answers_->defer(*t.late.part, t.now, *this, t.late.data_follow);
  if (t.late.data_follow) storage_.sum_follows(t.late.ticket, t.sum);
}

Tick SumStage::combine(const SlotCommit& c, std::uint32_t slot) {
  if (__builtin_expect(storage_.banks().may_defer(), 0)) return await_start(c, slot);
  Ring& ring = rings_[c.ring];
  const Tick ready = clock_.edge(std::max(c.when, ring.operands_at[slot]));
  CombineTransaction t = request_of(c, clock_.edge(std::max(ready, unit_of(c.ring))));
  storage_.read_operands(c.ring, slot, t);
  // A slot of empty packets passes no adders. Its results leave after the sums in the adders, or their receivers would see a
  // gap.
  if (t.operands == 0) {
    const Tick value_at = ready + clock_.cycles(read_cycles);
    return ring.late.empty() ? latest(ring, value_at) : wait(ring, {Late::Kind::empty, 0, 0, value_at});
  }
  const Tick summed = add(t);
  if (__builtin_expect(summed == never, 0)) return wait(ring, {Late::Kind::added, t.late.ticket, t.reading, never});
  const Tick value_at = clock_.edge(summed + t.reading);
  if (__builtin_expect(!ring.late.empty(), 0)) return wait(ring, {Late::Kind::added, t.late.ticket, t.reading, value_at});
  return latest(ring, value_at);
}

// ---- slots that enter at an event of their own

void SumStage::await_operand(const SlotCommit& c, std::uint32_t slot) {
  const std::uint64_t write = starts_.write(c.ring, slot);
  storage_.banks().then_written(c.member, [this, ring = unsigned{c.ring}, slot, write](Tick when) {
    stored(ring, slot, when);
    starts_.written(ring, slot, write, when);
  });
}

/// A slot of empty packets waits for no unit.
Tick SumStage::await_start(const SlotCommit& c, std::uint32_t slot) {
  Ring& ring = rings_[c.ring];
  const bool empty = storage_.is_empty(c.ring, slot);
  const auto unit = empty ? static_cast<unsigned>(free_at_.size()) + c.ring : Combinator::unit_of(params_, c.ring);
  wait(ring, {empty ? Late::Kind::empty : Late::Kind::added, 0, 0, never});
  starts_.add(unit, c.ring, slot, std::max(c.when, ring.operands_at[slot]), ring.late.back());
  return never;
}

void SumStage::start() {
  const Tick now = next_start();
  const auto entered = starts_.take(now, free_at_);
  read(rings_[entered.ring], *entered.sum, now);
}

/// Reads the operands of a slot, which enter the adders now, or, if their data follow, when they have been read.
void SumStage::read(Ring& ring, Late& sum, Tick now) {
  if (sum.kind == Late::Kind::empty) {
    sum.value_at = now + clock_.cycles(read_cycles);
    return pass_on(ring);
  }
  sum.reads = std::make_shared<Reading>();
  Reading& reads = *sum.reads;
  reads.t = request_of(sum.commit, now);
  storage_.read_operands(sum.commit.ring, sum.verdict.slot, reads.t, reads.operands, [&](unsigned member) {
    ++reads.missing;
    reads.data_follow |= storage_.banks().data_follow();
    storage_.banks().then_read(member, [this, &ring, &sum, now](Tick when) { operand_read(ring, sum, when - now); });
  });
  sum.reading = reads.t.reading;
  if (reads.data_follow) {
    unit_of(sum.commit.ring) = now + clock_.cycles(Combinator::slot_cycles(params_, reads.t.bytes));
    return;
  }
  add_late(sum, reads.t);
  if (reads.missing == 0) sum.reads = nullptr;
  settle(ring, sum);
}

/// An operand has been read, `after` its request. Operands that are complete after the first beat of their sum was due at
/// the MAC delay the sum.
void SumStage::operand_read(Ring& ring, Late& sum, Tick after) {
  Reading& reads = *sum.reads;
  sum.reading = std::max(sum.reading, after);
  if (--reads.missing != 0) return;
  if (reads.data_follow) {
    const unsigned beats = Combinator::slot_cycles(params_, reads.t.bytes) - 1;
    const unsigned until_mac = params_.lookup_cycles + params_.mac_cycles;
    const Tick complete = reads.t.now + clock_.cycles(read_cycles + beats - 1) + sum.reading;
    sum.least = complete - std::min(complete, clock_.cycles(until_mac));
    reads.t.reading = sum.reading;
    if (sum.commit.offset == 0) storage_.keep_aggregation_headers(sum.commit.ring, sum.verdict.slot, reads.t);
    add_late(sum, reads.t);
  }
  sum.reads = nullptr;
  settle(ring, sum);
}

void SumStage::add_late(Late& sum, CombineTransaction& t) {
  sum.summed = add(t);
  sum.ticket = t.late.ticket;
}

/// Passes on a sum whose time is known.
void SumStage::settle(Ring& ring, Late& sum) {
  if (sum.reads != nullptr || sum.summed == never) return;
  sum.value_at = clock_.edge(std::max(sum.summed + sum.reading, sum.least));
  pass_on(ring);
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
      if (sum.kind != Late::Kind::added || sum.summed != never || sum.value_at != never || sum.ticket != ticket) continue;
      sum.summed = when;
      return settle(ring, sum);
    }
}

/// Passes on all sums of the ring up to the first that is not known.
void SumStage::pass_on(Ring& ring) {
  while (!ring.late.empty() && ring.late.front().value_at != never) {
    const Late sum = std::move(ring.late.front());
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
