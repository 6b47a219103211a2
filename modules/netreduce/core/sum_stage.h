#pragma once
/// SumStage: times at which the sums of slots enter and leave the combinator (Liu et al., 4).

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "modules/base/late_answers.h"
#include "modules/netreduce/accelerator_params.h"
#include "modules/netreduce/core/accelerator_clock.h"
#include "modules/netreduce/core/combinator.h"
#include "modules/netreduce/core/slot_commit.h"
#include "modules/netreduce/core/slot_starts.h"
#include "modules/netreduce/core/slot_storage.h"
#include "modules/netreduce/core/state_record.h"

namespace tributary {

/// A slot waits for its operands and for its unit of the combinator, which it occupies for a cycle, one cycle a beat, and
/// the interval of the combinator. Its operands are read while it enters. Sums of a ring leave in the order in which their
/// slots were committed, also if the combinator answers later.
///
/// With a payload buffer that may answer later, a slot enters its unit at an event of its own, when its operands have been
/// written: so requests reach the buffer and the combinator in order of time.
class SumStage : private AnswerListener {
 public:
  static constexpr unsigned read_cycles = 1;

  /// Receives the sums whose times were not known.
  class Listener {
   public:
    virtual ~Listener() = default;
    /// The sum of a commit that was kept leaves the adders at `value_at`. `added`: now, and not for the first time.
    virtual void late_sum(const SlotCommit& c, const StateRecord::Verdict& v, Tick value_at, bool added) = 0;
  };

  SumStage(const AcceleratorParams& params, const AcceleratorClock& clock, PartPort<CombineTransaction>& combinator,
           SlotStorage& storage)
      : params_(params), clock_(clock), combinator_(combinator), storage_(storage), starts_(clock) {}

  /// Lets the combinator answer later. Call it during construction.
  void offer(LateAnswers& answers) { answers_ = &answers; }
  /// Lets the payload buffer answer later. Call it during construction.
  void offer_payloads(LateAnswers& answers) { storage_.banks().offer(answers), deferred_ = true; }
  void report_to(Listener& listener) { listener_ = &listener; }

  void clear();
  /// Adds the slots of one more ring, which outlives its stay.
  void add(const AggregationRing& ring, std::uint32_t slots);
  std::size_t slots(unsigned ring) const { return rings_[ring].operands_at.size(); }

  /// Stores an operand of the slot in the payload buffer.
  void store(const SlotCommit& c, std::uint32_t slot) {
    const Tick when = storage_.store_payload(c, slot);
    if (__builtin_expect(when == never, 0)) return await_operand(c, slot);
    stored(c.ring, slot, when);
  }
  /// Returns the time at which the next slot enters its unit, if that is an event of its own; `never` otherwise.
  Tick next_start() const { return starts_.waiting() == 0 ? never : starts_.next(free_at_); }
  /// Lets the slot of next_start() enter.
  void start();
  /// Adds the operands of a full slot. Returns the time at which the first beat of the sum leaves the adders. If that is not
  /// known, returns `never`; keep() must follow.
  Tick combine(const SlotCommit& c, std::uint32_t slot);
  /// Reads a sum that is sent again, one beat in a cycle, faster than the port sends it. A stored sum must not overtake sums
  /// in the adders, or its receiver would see a gap at each packet that is sent again. Returns `never` as combine() does.
  Tick read_again(const SlotCommit& c) {
    Ring& ring = rings_[c.ring];
    if (__builtin_expect(!ring.late.empty(), 0)) return wait(ring, {Late::Kind::again, 0, 0, 0});
    return again(ring, c);
  }
  /// Keeps a commit whose sum is not known, and a reference of its frame, until late_sum().
  void keep(const SlotCommit& c, const StateRecord::Verdict& v);
  /// Stores the header of a packet: at once, or, if a sum of its slot is not known, when that sum has left. So a sum leaves
  /// with the headers of its commit, also if a packet arrives again meanwhile.
  void store_header(const SlotCommit& c, std::uint32_t slot) {
    if (__builtin_expect(deferred_, 0) && holds(rings_[c.ring], slot)) return keep_header(c, slot);
    storage_.store_header(c, slot);
  }
  /// Returns the number of commits that are kept.
  std::size_t kept() const;

 private:
  /// A slot whose operands are read, and the bytes of these.
  struct Reading {
    CombineTransaction t{};
    SlotStorage::Operands operands{};
    unsigned missing = 0;      // reads without an answer
    bool data_follow = false;  // the combinator waits for the data
  };
  /// A sum that waits for an answer, or for sums before it; or a header that waits for these sums.
  struct Late {
    enum class Kind : std::uint8_t { added, empty, again, header };
    Kind kind;
    Ticket ticket;
    Tick reading;
    Tick value_at;  // if no sum were before it; never: not known
    SlotCommit commit{};
    StateRecord::Verdict verdict{};
    std::shared_ptr<Reading> reads{};  // null: all operands have been read
    Tick summed = never;               // without the time of reading
    Tick least = 0;                    // time of `value_at` at the earliest
  };
  struct Ring {
    const AggregationRing* config;
    std::vector<Tick> operands_at;  // by slot: all operands are in the payload buffer
    Tick latest = 0;                // the latest sum leaves the adders
    std::deque<Late> late = {};     // in order of their commits
  };
  Tick& unit_of(unsigned ring);
  Tick latest(Ring& ring, Tick value_at) { return ring.latest = std::max(ring.latest, value_at); }
  Tick again(const Ring& ring, const SlotCommit& c) const {
    return std::max(c.when, ring.latest) + clock_.cycles(read_cycles);
  }
  Tick wait(Ring& ring, Late sum) { return ring.late.push_back(std::move(sum)), never; }
  void stored(unsigned ring, std::uint32_t slot, Tick when) {
    Tick& at = rings_[ring].operands_at[slot];
    at = std::max(at, when);
  }
  CombineTransaction request_of(const SlotCommit& c, Tick now) const;
  void await_operand(const SlotCommit& c, std::uint32_t slot);
  Tick await_start(const SlotCommit& c, std::uint32_t slot);
  void read(Ring& ring, Late& sum, Tick now);
  void operand_read(Ring& ring, Late& sum, Tick after);
  void add_late(Late& sum, CombineTransaction& t);
  Tick add(CombineTransaction& t);
  void await_sum(const CombineTransaction& t);
  void settle(Ring& ring, Late& sum);
  // AnswerListener: the combinator
  void answered(Ticket ticket, Tick when) override;
  void completed(Ticket ticket) override { storage_.sum_complete(ticket); }
  void pass_on(Ring& ring);
  static bool holds(const Ring& ring, std::uint32_t slot);
  void keep_header(const SlotCommit& c, std::uint32_t slot);

  const AcceleratorParams& params_;
  const AcceleratorClock& clock_;
  PartPort<CombineTransaction>& combinator_;
  SlotStorage& storage_;
  std::vector<Ring> rings_;
  std::vector<Tick> free_at_;  // by unit: it accepts the next slot
  SlotStarts<Late> starts_;    // slots that enter at an event of their own
  LateAnswers* answers_ = nullptr;
  Listener* listener_ = nullptr;
  bool deferred_ = false;
};

}  // namespace tributary
