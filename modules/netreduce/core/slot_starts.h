#pragma once
/// SlotStarts: full slots that wait for their operands, and for their unit of the combinator.

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "modules/netreduce/core/accelerator_clock.h"

namespace tributary {

/// Slots of a unit enter in the order of their commits. A slot waits for the writes that were requested before its commit:
/// packets that arrive again later bring the same operands. `Sum` is what the caller knows of a slot.
template <class Sum>
class SlotStarts {
 public:
  explicit SlotStarts(const AcceleratorClock& clock) : clock_(clock) {}

  void clear() {
    units_.clear();
    writes_.clear();
    latest_write_ = 0;
    waiting_ = 0;
  }
  /// Number of slots that have not entered.
  std::size_t waiting() const { return waiting_; }

  /// An operand is being written. Returns the number of the write, for written().
  std::uint64_t write(unsigned ring, std::uint32_t slot) { return ++writes_[{ring, slot}], ++latest_write_; }
  /// The operand is in the payload buffer at `when`.
  void written(unsigned ring, std::uint32_t slot, std::uint64_t write, Tick when) {
    if (const auto at = writes_.find({ring, slot}); --at->second == 0) writes_.erase(at);
    for (Unit& unit : units_)
      for (Start& start : unit)
        if (start.ring == ring && start.slot == slot && write <= start.writes)
          --start.missing, start.ready = std::max(start.ready, when);
  }
  /// A slot is full, and ready at `ready` as far as that is known. Further units than those of `free_at` are always free.
  void add(unsigned unit, unsigned ring, std::uint32_t slot, Tick ready, Sum& sum) {
    if (units_.size() <= unit) units_.resize(unit + 1);
    const auto writes = writes_.find({ring, slot});
    units_[unit].push_back({ring, slot, ready, latest_write_, writes == writes_.end() ? 0 : writes->second, &sum});
    ++waiting_;
  }
  /// Returns the time at which the next slot enters; `never` if that is not known.
  Tick next(const std::vector<Tick>& free_at) const {
    Tick next = never;
    for (std::size_t unit = 0; unit < units_.size(); ++unit) next = std::min(next, start_of(unit, free_at));
    return next;
  }
  struct Entered {
    unsigned ring;
    Sum* sum;
  };
  /// Removes and returns the slot that enters at `now`, which is next().
  Entered take(Tick now, const std::vector<Tick>& free_at) {
    std::size_t unit = 0;
    while (start_of(unit, free_at) != now) ++unit;
    const Start first = units_[unit].front();
    units_[unit].pop_front();
    --waiting_;
    return {first.ring, first.sum};
  }

 private:
  struct Start {
    unsigned ring;
    std::uint32_t slot;
    Tick ready;
    std::uint64_t writes;  // the latest write before its commit
    unsigned missing;      // writes without an answer
    Sum* sum;
  };
  using Unit = std::deque<Start>;
  Tick start_of(std::size_t unit, const std::vector<Tick>& free_at) const {
    if (units_[unit].empty() || units_[unit].front().missing != 0) return never;
    return clock_.edge(std::max(units_[unit].front().ready, unit < free_at.size() ? free_at[unit] : 0));
  }

  const AcceleratorClock& clock_;
  std::vector<Unit> units_;
  std::map<std::pair<unsigned, std::uint32_t>, unsigned> writes_;  // without an answer, by ring and slot
  std::uint64_t latest_write_ = 0;
  std::size_t waiting_ = 0;
};

}  // namespace tributary
