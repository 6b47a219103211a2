#include "testbench/collective/schedule/chunk_proof.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "modules/base/index.h"

namespace tributary::collective {
namespace {

/// Set of ranks whose operands a value holds; empty: an undefined value.
using Operands = std::vector<std::uint64_t>;

bool is_empty(const Operands& value) {
  return std::all_of(value.begin(), value.end(), [](std::uint64_t word) { return word == 0; });
}

void insert(Operands& value, int rank) { value[at(rank) / 64] |= std::uint64_t{1} << at(rank) % 64; }

/// Number of writes of the chunk at each rank, as known from messages; empty: no writes known.
using Clock = std::vector<std::uint32_t>;

void learn(Clock& clock, const Clock& more) {
  if (more.empty()) return;
  clock.resize(more.size(), 0);
  for (std::size_t r = 0; r < more.size(); ++r) clock[r] = std::max(clock[r], more[r]);
}

std::uint64_t slot_key(int from, int to, int slot, int ranks) {
  return (static_cast<std::uint64_t>(slot) * at(ranks) + at(from)) * at(ranks) + at(to);
}

class Execution {
 public:
  /// `clocks`: track which writes each rank knows of; required for the reuse of slots.
  Execution(int ranks, const Goal& goal, bool clocks)
      : ranks_(ranks),
        goal_(goal),
        own_(at(ranks), Operands(at(ranks) / 64 + 1)),
        known_(clocks ? at(ranks) : 0),
        sent_by_(clocks ? at(ranks) : 0),
        clocks_(clocks) {
    for (int r = 0; r < ranks; ++r)
      if (goal.starts_at(r)) insert(own_[at(r)], r);
  }

  bool run(const RankOperation& o) {
    const Operation& op = *o.operation;
    if (op.kind == OperationKind::send) return send(o.rank, op);
    const auto found = mailbox_.find(key(op.peer, o.rank, op.slot));
    if (found == mailbox_.end() || found->second.step != op.step) return false;
    Letter& letter = found->second;
    if (op.kind == OperationKind::receive) return !std::exchange(letter.received, true);
    if (!letter.received || std::exchange(letter.taken, true)) return false;
    ++taken_;
    if (clocks_ && !note_write(o, letter)) return false;
    return op.kind == OperationKind::copy ? (own_[at(o.rank)].swap(letter.value), true)
                                          : add(own_[at(o.rank)], letter.value);
  }

  bool finished() const {
    if (taken_ != sent_) return false;
    Operands wanted(at(ranks_) / 64 + 1);
    for (int r = 0; r < ranks_; ++r)
      if (goal_.starts_at(r)) insert(wanted, r);
    for (int r = 0; r < ranks_; ++r)
      if (goal_.ends_at(r) && own_[at(r)] != wanted) return false;
    return true;
  }

 private:
  struct Letter {
    Operands value;
    int step = 0;
    Clock known = {};  ///< writes known to its sender
    bool received = false, taken = false;
    std::uint32_t taken_by = 0;  ///< number of the write that took it
  };

  std::uint64_t key(int from, int to, int slot) const { return slot_key(from, to, slot, ranks_); }

  /// Learns the letter's clock before the write: everything in it happened before.
  bool note_write(const RankOperation& o, Letter& letter) {
    Clock& known = known_[at(o.rank)];
    known.empty() ? known.swap(letter.known) : learn(known, letter.known);
    known.resize(at(ranks_), 0);
    if (o.over_sends && !knows_all_taken(o.rank)) return false;
    letter.taken_by = ++known[at(o.rank)];
    return true;
  }

  /// A taken message has been sent. A message whose slot was reused was known to be taken.
  bool knows_all_taken(int rank) const {
    for (const auto& [to, slot] : sent_by_[at(rank)]) {
      const Letter& letter = mailbox_.at(key(rank, to, slot));
      if (!letter.taken || known_[at(rank)][at(to)] < letter.taken_by) return false;
    }
    return true;
  }

  /// A slot is free again when its sender's clock includes the write that took the slot's last letter. Clocks pass from rank
  /// to rank only with letters.
  bool send(int rank, const Operation& op) {
    const Operands& value = own_[at(rank)];
    if (is_empty(value)) return false;
    ++sent_;
    Letter letter{value, op.step};
    if (clocks_) {
      letter.known = known_[at(rank)];
      sent_by_[at(rank)].emplace_back(op.peer, op.slot);
    }
    const auto [slot, first] = mailbox_.try_emplace(key(rank, op.peer, op.slot), std::move(letter));
    if (first) return true;
    if (!clocks_ || !slot->second.taken || letter.known.empty() || letter.known[at(op.peer)] < slot->second.taken_by)
      return false;
    slot->second = std::move(letter);  // try_emplace did not move from it
    return true;
  }

  static bool add(Operands& sum, const Operands& more) {
    if (is_empty(sum)) return false;
    for (std::size_t w = 0; w < sum.size(); ++w) {
      if ((sum[w] & more[w]) != 0) return false;
      sum[w] |= more[w];
    }
    return true;
  }

  int ranks_;
  const Goal& goal_;
  std::vector<Operands> own_;                              ///< [rank]
  std::unordered_map<std::uint64_t, Letter> mailbox_;      ///< all messages; only looked up, never iterated
  std::vector<Clock> known_;                               ///< [rank] clock at its last write
  std::vector<std::vector<std::pair<int, int>>> sent_by_;  ///< [rank] peer, slot
  bool clocks_;
  std::size_t sent_ = 0, taken_ = 0;
};

bool needs_clocks(const std::vector<RankOperation>& operations, int ranks) {
  std::unordered_set<std::uint64_t> used;
  for (const RankOperation& o : operations) {
    const Operation& op = *o.operation;
    const bool sends = op.kind == OperationKind::send;
    if (o.over_sends || (sends && !used.insert(slot_key(o.rank, op.peer, op.slot, ranks)).second)) return true;
  }
  return false;
}

}  // namespace

bool holds_exactly_once(const std::vector<RankOperation>& operations, int ranks, const Goal& goal) {
  std::vector<RankOperation> in_order = operations;
  const auto place = [](const RankOperation& o) {
    return std::pair(o.operation->step, o.operation->kind == OperationKind::send ? 0 : 1);
  };
  std::stable_sort(in_order.begin(), in_order.end(),
                   [&](const RankOperation& a, const RankOperation& b) { return place(a) < place(b); });
  Execution execution(ranks, goal, needs_clocks(operations, ranks));
  return std::all_of(in_order.begin(), in_order.end(), [&](const RankOperation& o) { return execution.run(o); }) &&
         execution.finished();
}

}  // namespace tributary::collective
